import type { AdmissionTable } from '@openchambery/daemon';
import {
  parseUpgradeTarget,
  type Role,
  type UpgradeRequest,
  type UpgradeTargetLimits,
} from '@openchambery/protocol';
import type { RelayLimits } from '../limits.ts';
import type { HostAuthenticator } from './authenticate.ts';
import type { Refusal, RefusalReason } from './refusal.ts';

/** What is counted apart from the rest: each kind has its own windows. */
type AdmissionKind = 'client' | 'host-data' | 'malformed' | 'host-control-ip' | 'host-control-server';

/** What upgrades are checked against before they may look for their place. */
export interface Gatekeeper {
  readonly limits: RelayLimits;
  readonly target: UpgradeTargetLimits;
  readonly admission: AdmissionTable<AdmissionKind>;
  readonly authenticator: Pick<HostAuthenticator, 'authenticate'>;
}

/** An upgrade that may attach, or why it may not; `upgrade` is there as soon as it could be parsed. */
export type Decision =
  | { readonly ok: true; readonly upgrade: UpgradeRequest }
  | { readonly ok: false; readonly upgrade?: UpgradeRequest; readonly refusal: Refusal };

interface RateRule {
  readonly kind: AdmissionKind;
  readonly limit:
    | 'maxAdmissionsPerIp'
    | 'maxHostControlAdmissionsPerIp'
    | 'maxHostControlAdmissionsPerServer';
  readonly reason: RefusalReason;
  readonly name: string;
}

const RATE_OF_ROLE: Readonly<Record<Role, RateRule>> = {
  client: {
    kind: 'client',
    limit: 'maxAdmissionsPerIp',
    reason: 'client-rate',
    name: 'MAX_ADMISSIONS_PER_IP',
  },
  'host-data': {
    kind: 'host-data',
    limit: 'maxAdmissionsPerIp',
    reason: 'host-data-rate',
    name: 'MAX_ADMISSIONS_PER_IP',
  },
  'host-control': {
    kind: 'host-control-ip',
    limit: 'maxHostControlAdmissionsPerIp',
    reason: 'host-control-rate',
    name: 'MAX_HOST_CONTROL_ADMISSIONS_PER_IP',
  },
};
const MALFORMED_RATE: RateRule = {
  kind: 'malformed',
  limit: 'maxAdmissionsPerIp',
  reason: 'malformed-rate',
  name: 'MAX_ADMISSIONS_PER_IP',
};
const HOST_RATE: RateRule = {
  kind: 'host-control-server',
  limit: 'maxHostControlAdmissionsPerServer',
  reason: 'host-rate',
  name: 'MAX_HOST_CONTROL_ADMISSIONS_PER_SERVER',
};

/**
 * The checks of an upgrade, in the order of layer 1, section 4: parse, admission of the IP, authentication, and
 * only then admission of the Host, which a stranger without its key must not be able to use up.
 */
export function decideUpgrade(target: string, ip: string, gatekeeper: Gatekeeper): Decision {
  const parsed = parseUpgradeTarget(target, gatekeeper.target);
  if (!parsed.ok) {
    const refusal = checkRate(MALFORMED_RATE, ip, gatekeeper);
    return {
      ok: false,
      refusal: refusal ?? { reason: 'malformed', detail: `malformed: ${parsed.fault.detail}` },
    };
  }
  const { upgrade } = parsed;
  const refusal = checkRate(RATE_OF_ROLE[upgrade.role], ip, gatekeeper) ?? checkHost(upgrade, ip, gatekeeper);
  return refusal === undefined ? { ok: true, upgrade } : { ok: false, upgrade, refusal };
}

function checkHost(upgrade: UpgradeRequest, ip: string, gatekeeper: Gatekeeper): Refusal | undefined {
  if (upgrade.role === 'client') return undefined;
  const result = gatekeeper.authenticator.authenticate({ upgrade, ip });
  if (!result.ok) return { reason: 'auth', detail: result.detail };
  return upgrade.role === 'host-control' ? checkRate(HOST_RATE, upgrade.serverId, gatekeeper) : undefined;
}

function checkRate(rule: RateRule, key: string, { admission, limits }: Gatekeeper): Refusal | undefined {
  const max = limits[rule.limit];
  if (admission.admit({ kind: rule.kind, key, max })) return undefined;
  const seconds = Math.ceil(limits.admissionWindowMs / 1000);
  return { reason: rule.reason, detail: `limit: ${rule.name} (${max} in ${seconds} s) reached` };
}
