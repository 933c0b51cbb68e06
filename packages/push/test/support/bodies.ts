/** The members of a request, as they are sent. */
export type Body = Readonly<Record<string, unknown>>;

/** A device token in lower case. */
export const TOKEN = 'a1'.repeat(32);
/** 2023-11-14T22:13:20Z, where the fake clock starts. */
export const NOW_MS = 1_700_000_000_000;

/** The generator of P-256 (FIPS 186-5, SP 800-186 section 3.2.1.3): a point like any other. */
export const POINT = {
  crv: 'P-256',
  kty: 'EC',
  x: base64url('6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296'),
  y: base64url('4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5'),
} as const;

const ENVELOPE = { publicKeyJwk: POINT, ts: NOW_MS, sig: 'A'.repeat(86) } as const;

/** `register-token`, in the form of the contract but with no signature worth the name; so are the others below. */
export function registration(members: Body = {}): Body {
  return { ...ENVELOPE, token: TOKEN, platform: 'ios', ...members };
}

export function liveActivityRegistration(members: Body = {}): Body {
  return registration({ kind: 'liveactivity', ...members });
}

export function send(members: Body = {}): Body {
  return { ...ENVELOPE, tokens: [TOKEN], title: 'Hello', ...members };
}

export function contentState(members: Body = {}): Body {
  return { status: 'working', eventVersion: 3, updatedAt: 1_700_000_000.5, ...members };
}

export function item(members: Body = {}): Body {
  return { sessionID: 'ses_1', title: 'Build', status: 'tool', startedAt: 12, ...members };
}

export function liveActivity(members: Body = {}): Body {
  return { ...ENVELOPE, tokens: [TOKEN], event: 'update', contentState: contentState(), ...members };
}

/** The same members but one. */
export function without(body: Body, name: string): Body {
  return Object.fromEntries(Object.entries(body).filter(([each]) => each !== name));
}

/** `count` different tokens. */
export function tokens(count: number, prefix = '00'): string[] {
  return Array.from({ length: count }, (_, index) => prefix + index.toString(16).padStart(62, '0'));
}

/** What arrives when this is sent as JSON. */
export function overJson(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

function base64url(hex: string): string {
  return Buffer.from(hex, 'hex').toString('base64url');
}
