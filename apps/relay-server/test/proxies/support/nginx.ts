import { writeFileSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { readDeployFile, substitute } from './deploy-file.ts';
import type { ProxyKind, ProxyPlace, ProxyPlan } from './running-proxy.ts';
import { testCertificate, trustCa } from './secure-request.ts';

/** Its files are edited by whoever uses them; so they are here. */
export const nginx: ProxyKind = {
  name: 'nginx',
  cutsIdleTunnels: true,
  tunnelsOnReload: 'stay',
  tooLong: [413],
  logsRequests: true,
  prepare: async (plan, place) => {
    const { folder } = place;
    const { caPem, certPem, keyPem } = await testCertificate();
    writeFileSync(join(folder, 'fullchain.pem'), certPem);
    writeFileSync(join(folder, 'privkey.pem'), keyPem);
    writeFileSync(join(folder, 'relay.conf'), siteText(plan, place));
    writeFileSync(join(folder, 'nginx.conf'), mainText(folder));
    return {
      command: 'nginx',
      args: ['-c', join(folder, 'nginx.conf'), '-p', folder, '-e', join(folder, 'error.log')],
      reload: 'SIGHUP',
      trust: () => trustCa(caPem),
    };
  },
};

/** What a distribution's nginx.conf does around a site, its access log with queries included. */
function mainText(folder: string): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  return [
    ...(process.getuid?.() === 0 ? ['user root;'] : []),
    'daemon off;',
    'worker_processes 2;',
    `pid ${folder}/nginx.pid;`,
    'events { worker_connections 768; }',
    'http {',
    ...temporary.map((name) => `${name}_temp_path ${folder}/${name};`),
    `access_log ${folder}/access.log;`,
    `error_log ${folder}/error.log;`,
    `include ${folder}/relay.conf;`,
    '}',
  ].join('\n');
}

function siteText(plan: ProxyPlan, place: ProxyPlace): string {
  const { relay, push, variant, tunnelIdleSeconds } = plan;
  const { folder, httpPort, httpsPort } = place;
  const text = variant === 'path-prefix' ? sharedHost(plan, place) : readDeployFile('nginx/relay-push.conf');
  const hasIpv6 = Object.values(networkInterfaces()).some((list) =>
    list?.some(({ address }) => address === '::1'),
  );
  const ipv6 = (port: number, rest: string): string => (hasIpv6 ? `listen [::1]:${port}${rest};` : '');
  return substitute(text, [
    ['server 127.0.0.1:8787;', `server ${relay};`],
    ['server 127.0.0.1:8788;', `server ${variant === 'one-upstream' ? relay : push};`],
    ['listen 443 ssl http2;', `listen 127.0.0.1:${httpsPort} ssl http2;`],
    ['listen [::]:443 ssl http2;', ipv6(httpsPort, ' ssl http2')],
    ['listen 80;', `listen 127.0.0.1:${httpPort};`],
    ['listen [::]:80;', ipv6(httpPort, '')],
    ['/etc/letsencrypt/live/relay.example.org/', `${folder}/`],
    ['/var/log/nginx/', `${folder}/`],
    ['relay.example.org', '127.0.0.1'],
    ...(tunnelIdleSeconds === undefined ? [] : ([[' 90s;', ` ${tunnelIdleSeconds}s;`]] as const)),
  ]);
}

/** The site that was there before, with the locations put into its server block. */
function sharedHost({ site }: ProxyPlan, { folder }: ProxyPlace): string {
  const whole = readDeployFile('nginx/relay-push.conf');
  const definitions = whole.slice(0, whole.indexOf('\nserver {'));
  return `${definitions}
server {
    listen 80;
    listen [::]:80;
    listen 443 ssl http2;
    listen [::]:443 ssl http2;
    server_name relay.example.org;
    ssl_certificate ${folder}/fullchain.pem;
    ssl_certificate_key /etc/letsencrypt/live/relay.example.org/privkey.pem;
    location / {
        proxy_pass http://${site};
    }
${readDeployFile('nginx/path-prefix.conf')}
}
`;
}
