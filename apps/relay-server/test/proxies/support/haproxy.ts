import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readDeployFile, substitute } from './deploy-file.ts';
import type { ProxyKind, ProxyPlace, ProxyPlan } from './running-proxy.ts';
import { testCertificate, trustCa } from './secure-request.ts';

/** Its files are edited by whoever uses them; so they are here. */
export const haproxy: ProxyKind = {
  name: 'haproxy',
  cutsIdleTunnels: true,
  tunnelsOnReload: 'stay',
  tooLong: [413],
  logsRequests: true,
  prepare: async (plan, place) => {
    const { caPem, certPem, keyPem } = await testCertificate();
    writeFileSync(join(place.folder, 'site.pem'), certPem + keyPem);
    const file = join(place.folder, 'haproxy.cfg');
    writeFileSync(file, configuration(plan, place));
    return {
      command: 'haproxy',
      // With a master, as the service has it.
      args: ['-W', '-f', file],
      reload: 'SIGUSR2',
      trust: () => trustCa(caPem),
    };
  },
};

function configuration(plan: ProxyPlan, { folder, httpPort, httpsPort }: ProxyPlace): string {
  const { variant, relay, push, site, tunnelIdleSeconds } = plan;
  const isShared = variant === 'path-prefix';
  const text = readDeployFile(`haproxy/${isShared ? 'path-prefix' : 'relay-push'}.cfg`);
  const name = isShared ? 'www.example.org' : 'relay.example.org';
  return substitute(text, [
    ['bind :80', `bind 127.0.0.1:${httpPort}`],
    ['bind :443', `bind 127.0.0.1:${httpsPort}`],
    [`/etc/haproxy/certs/${name}.pem`, `${folder}/site.pem`],
    ['server relay 127.0.0.1:8787', `server relay ${relay}`],
    ['server push 127.0.0.1:8788', `server push ${variant === 'one-upstream' ? relay : push}`],
    ...(isShared ? ([['server site 127.0.0.1:8080', `server site ${site}`]] as const) : []),
    ...(tunnelIdleSeconds === undefined
      ? []
      : ([['timeout tunnel 90s', `timeout tunnel ${tunnelIdleSeconds}s`]] as const)),
    // Only root can change user and root folder.
    ...(process.getuid?.() === 0
      ? []
      : ([
          ['    user haproxy\n', ''],
          ['    group haproxy\n', ''],
          ['    chroot /var/lib/haproxy\n', ''],
        ] as const)),
  ]);
}
