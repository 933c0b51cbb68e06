/** Everything openchamber-push-relay has to be told to use a fake APNs: names of variables to values. */
export type RelayVariables = Readonly<Record<string, string>>;

/** What the variables are made of. */
export interface FakePair {
  readonly teamId: string;
  readonly keyId: string;
  readonly p8Path: string;
  readonly caPath: string;
  readonly productionUrl: string;
  readonly sandboxUrl: string;
}

/** The variables that point the push relay at `pair`. */
export function relayVariables(pair: FakePair): RelayVariables {
  return {
    OPENCHAMBER_PUSH_RELAY_APNS_KEY_ID: pair.keyId,
    OPENCHAMBER_PUSH_RELAY_APNS_TEAM_ID: pair.teamId,
    OPENCHAMBER_PUSH_RELAY_APNS_P8_PATH: pair.p8Path,
    OPENCHAMBER_PUSH_RELAY_APNS_PRODUCTION_URL: pair.productionUrl,
    OPENCHAMBER_PUSH_RELAY_APNS_SANDBOX_URL: pair.sandboxUrl,
    NODE_EXTRA_CA_CERTS: pair.caPath,
  };
}

/** `export` lines for a POSIX shell. */
export function exportLines(variables: RelayVariables): string {
  return Object.entries(variables)
    .map(([name, value]) => `export ${name}=${quote(value)}\n`)
    .join('');
}

// Within single quotes a shell takes everything as it is; a single quote has to stand outside of them.
function quote(value: string): string {
  return `'${value.replaceAll("'", String.raw`'\''`)}'`;
}
