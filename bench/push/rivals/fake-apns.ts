/**
 * The provider of a run: accepts every push and records nothing.
 * Run as a program: `node fake-apns.ts PORT CA_FILE`; the file gets the certificate to trust.
 */
import { writeFileSync } from 'node:fs';
import { startFakeApns } from '@openchambery/testkit';

const [port = '0', caFile = ''] = process.argv.slice(2);
const apns = await startFakeApns({ port: Number(port), recordLimit: 0 });
writeFileSync(caFile, apns.caPem);
process.stdout.write(`fake APNs listening at ${apns.url}\n`);
process.once('SIGTERM', () => {
  void apns.close().then(() => process.exit(0));
});
