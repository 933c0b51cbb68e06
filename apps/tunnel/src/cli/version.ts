declare const PACKAGE_VERSION: string | undefined;

/** The version of the published package; the bundler puts it in, so running from source has none. */
export const version: string = typeof PACKAGE_VERSION === 'string' ? PACKAGE_VERSION : '0.0.0-source';
