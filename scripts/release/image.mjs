// What an image is called, and how the builds of several architectures become one.
import { ReleaseFault } from './release-fault.mjs';

/** The architectures an image is built for; each is a native build on a runner of its own. */
export const ARCHITECTURES = ['amd64', 'arm64'];

const REPOSITORY = 'openchamber-relay';
const LOCAL_NAME = 'local/openchamber-relay';
// Docker Hub: 4 to 30 lower-case letters and digits.
const USERNAME = /^[a-z0-9]{4,30}$/;
const DIGEST = /^sha256:[0-9a-f]{64}$/;

/** `{ publish, image }`, and a remark where something that was asked for is left out. */
export function planImage({ mode, username, hasToken }) {
  if (!['publish', 'auto', 'build-only'].includes(mode)) {
    throw new ReleaseFault(`The mode must be publish, auto or build-only, not ${mode}.`);
  }
  if (username !== '' && !USERNAME.test(username)) {
    throw new ReleaseFault(`DOCKERHUB_USERNAME is not a Docker Hub name: ${username}.`);
  }
  const missing = [
    ...(username === '' ? ['the variable DOCKERHUB_USERNAME'] : []),
    ...(hasToken ? [] : ['the secret DOCKERHUB_TOKEN']),
  ].join(', ');
  if (mode === 'publish' && missing !== '') {
    throw new ReleaseFault(`The image cannot be published; not set: ${missing} (docs/releasing.md).`);
  }
  const publish = mode !== 'build-only' && missing === '';
  const image = username === '' ? LOCAL_NAME : `docker.io/${username}/${REPOSITORY}`;
  return mode === 'auto' && missing !== ''
    ? { publish, image, remark: `The image is built but not published; not set: ${missing}.` }
    : { publish, image };
}

/** A digest as the builder reports it; a fault when it is anything else. */
export function checkDigest(digest) {
  if (!DIGEST.test(digest)) {
    throw new ReleaseFault(`This is not the digest of an image: ${JSON.stringify(digest)}.`);
  }
  return digest;
}

/** The name of an architecture; a fault when no image is built for it. */
export function checkArchitecture(architecture) {
  if (!ARCHITECTURES.includes(architecture)) {
    throw new ReleaseFault(`No image is built for ${architecture}.`);
  }
  return architecture;
}

/** Arguments for `docker` that make one manifest of `{ amd64: digest, arm64: digest }`. */
export function mergeArguments({ image, version, latest, digests }) {
  const names = Object.keys(digests).sort();
  if (names.join(' ') !== ARCHITECTURES.join(' ')) {
    throw new ReleaseFault(
      `One digest for each of ${ARCHITECTURES.join(', ')} is needed; there are: ${names.join(', ') || 'none'}.`,
    );
  }
  const sources = names.map((name) => checkDigest(digests[name]));
  if (new Set(sources).size !== sources.length) {
    throw new ReleaseFault('Two architectures have the same digest.');
  }
  const tags = [version, ...(latest ? ['latest'] : [])].flatMap((tag) => ['--tag', `${image}:${tag}`]);
  return ['buildx', 'imagetools', 'create', ...tags, ...sources.map((digest) => `${image}@${digest}`)];
}
