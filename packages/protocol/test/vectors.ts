import { readFileSync } from 'node:fs';
import type { ControlMessage, HostRole, PrivateJwk, UpgradeFaultKind, UpgradeRequest } from '../src/index.ts';

/** A Host identity worked out with node:crypto alone. */
export interface IdentityVector {
  readonly name: string;
  readonly privateJwk: PrivateJwk;
  readonly publicKeyText: string;
  readonly pk: string;
  readonly serverId: string;
}

/** A public key field no relay may take: wrong in its form, or well formed with a point off the curve. */
export interface BadPublicKeyVector {
  readonly name: string;
  readonly pk: string;
  readonly fault: 'form' | 'curve';
}

/** A signature over a signing text, and whether it verifies. */
export interface SignatureVector {
  readonly name: string;
  readonly ts: string;
  readonly serverId: string;
  readonly role: HostRole;
  readonly connectionId?: string;
  readonly text: string;
  readonly pk: string;
  readonly sig: string;
  readonly verifies: boolean;
}

/** Request targets and what they mean. */
export interface UpgradeVectors {
  readonly limits: { readonly path: string; readonly maxUrlBytes: number; readonly maxFieldBytes: number };
  readonly good: readonly {
    readonly name: string;
    readonly target: string;
    readonly upgrade: UpgradeRequest;
    /** Whether formatting the upgrade gives this very target. */
    readonly isFormatted: boolean;
  }[];
  readonly bad: readonly {
    readonly name: string;
    readonly target: string;
    readonly fault: UpgradeFaultKind;
  }[];
}

/** Control messages: exact texts, texts that mean the same, and texts a Host ignores. */
export interface ControlMessageVectors {
  readonly good: readonly { readonly message: ControlMessage; readonly text: string }[];
  readonly tolerated: readonly { readonly message: ControlMessage; readonly text: string }[];
  readonly ignored: readonly string[];
}

interface IdentityVectors {
  readonly identities: readonly IdentityVector[];
  readonly badPublicKeys: readonly BadPublicKeyVector[];
}

function read(name: string): unknown {
  return JSON.parse(readFileSync(new URL(`../vectors/${name}.json`, import.meta.url), 'utf8'));
}

export const { identities, badPublicKeys } = read('identities') as IdentityVectors;
export const signatures: readonly SignatureVector[] = read('signatures') as readonly SignatureVector[];
export const upgrades: UpgradeVectors = read('upgrades') as UpgradeVectors;
export const controlMessages: ControlMessageVectors = read('control-messages') as ControlMessageVectors;
