import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '@openchambery/testkit';
import { readDeployFile } from './deploy-file.ts';
import type { ProxyKind, Variant } from './running-proxy.ts';
import { trustCa } from './secure-request.ts';

const FILES: Record<Variant, string> = {
  'relay-push': 'relay-push.caddyfile',
  'one-upstream': 'relay.caddyfile',
  'path-prefix': 'path-prefix.caddyfile',
};

/** Its files take variables, so they run as they are; the certificate is of Caddy's own CA. */
export const caddy: ProxyKind = {
  name: 'caddy',
  cutsIdleTunnels: false,
  tunnelsOnReload: 'are closed',
  // 502 is what Caddy 2.6 makes of it.
  tooLong: [413, 502],
  logsRequests: false,
  prepare: async ({ variant, relay, push, site }, { folder, httpsPort, httpPort }) => {
    const file = join(folder, 'Caddyfile');
    writeFileSync(file, readDeployFile(`caddy/${FILES[variant]}`));
    const admin = `127.0.0.1:${await freePort()}`;
    return {
      command: 'caddy',
      reload: ['reload', '--config', file, '--adapter', 'caddyfile', '--force', '--address', admin],
      args: ['run', '--config', file, '--adapter', 'caddyfile'],
      env: {
        RELAY_DOMAIN: '127.0.0.1',
        ACME_EMAIL: 'operator@example.org',
        RELAY_UPSTREAM: relay,
        PUSH_UPSTREAM: push,
        SITE_UPSTREAM: site,
        RELAY_HTTP_PORT: String(httpPort),
        RELAY_HTTPS_PORT: String(httpsPort),
        CADDY_ADMIN: admin,
        XDG_DATA_HOME: folder,
        XDG_CONFIG_HOME: folder,
      },
      trust: () => trustCa(readFileSync(join(folder, 'caddy/pki/authorities/local/root.crt'), 'utf8')),
    };
  },
};
