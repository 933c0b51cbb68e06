import type { FakeApns, HostIdentity } from '@openchambery/testkit';
import { makeNumberedIdentity } from './identities.ts';
import type { MarkerIndex } from './marker-index.ts';
import { Markers } from './markers.ts';
import { Random } from './random.ts';

const SERVERS = 24;
const TOKENS_PER_SERVER = 12;
const OWNER = 0;

/** A server and what is bound to it at first; dead tokens leave, and cases bind them again. */
export interface Server {
  readonly identity: HostIdentity;
  readonly tokens: readonly string[];
  readonly activityTokens: readonly string[];
  readonly androidTokens: readonly string[];
}

/** What all cases share. It does not follow from the first seed: a case alone finds the same. */
export interface Fixtures {
  readonly servers: readonly Server[];
}

/** What a case is made of. */
export interface Tools {
  readonly random: Random;
  readonly markers: Markers;
  readonly fixtures: Fixtures;
  /** Where answers of Apple's and Google's are scripted. */
  readonly services: readonly Pick<FakeApns, 'script'>[];
}

/** Makes servers and tokens, none of which may ever be seen again. */
export function makeFixtures(index: MarkerIndex): Fixtures {
  const random = new Random(0xf1c5);
  const markers = new Markers(index, random, OWNER);
  const makeTokens = (bytes: number): string[] =>
    Array.from({ length: TOKENS_PER_SERVER }, () => markers.hex(bytes).toLowerCase());
  const servers = Array.from({ length: SERVERS }, (_, number) => {
    const identity = makeNumberedIdentity(number);
    markers.known(identity.publicJwk.x);
    markers.known(identity.publicJwk.y);
    markers.known(identity.pk);
    markers.known(identity.serverId);
    const androidTokens = Array.from({ length: TOKENS_PER_SERVER }, () => markers.fcmToken());
    return { identity, tokens: makeTokens(32), activityTokens: makeTokens(80), androidTokens };
  });
  return { servers };
}
