/** The path of a Chromium: what `CHROMIUM_PATH` says, or else one that is installed; `undefined` when there is none. */
export declare function findChromium(env?: NodeJS.ProcessEnv): string | undefined;
