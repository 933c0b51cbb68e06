import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeLoopbackCertificate } from './certificates.ts';
import { FakeService } from './fake-service.ts';
import type { FakeApnsOptions } from './options.ts';
import { ReactionScript } from './reaction-script.ts';
import { RequestDesk } from './request-desk.ts';
import { DEFAULT_RECORD_LIMIT, RequestLog } from './request-log.ts';

/** A server that behaves like Apple's push service and does what a test tells it. */
export class FakeApns extends FakeService {}

/** Starts a fake APNs on a free port of loopback. */
export async function startFakeApns(options: FakeApnsOptions = {}): Promise<FakeApns> {
  const certificate = options.certificate ?? (await makeLoopbackCertificate());
  const folder = await mkdtemp(join(tmpdir(), 'fake-apns-'));
  const log = new RequestLog(options.recordLimit ?? DEFAULT_RECORD_LIMIT);
  const script = new ReactionScript();
  const desk = new RequestDesk(options, log, script);
  const apns = new FakeApns({ options, certificate, folder, log, script, desk });
  try {
    await writeFile(apns.caFile, apns.caPem);
    await apns.listen();
  } catch (error) {
    await apns.close();
    throw error;
  }
  return apns;
}
