import { randomUUID } from 'node:crypto';
import { type ClientHttp2Session, connect } from 'node:http2';
import { once } from 'node:events';

const PAYLOAD = Buffer.from(
  JSON.stringify({
    aps: { alert: { title: 'Session is waiting', body: 'The agent has a question.' }, sound: 'default' },
  }),
);

/** A push straight to the fake APNs, over one connection that is kept: its answer without any relay. */
export class DirectApns {
  readonly #session: ClientHttp2Session;

  private constructor(session: ClientHttp2Session) {
    this.#session = session;
  }

  static async open(url: string, caPem: string): Promise<DirectApns> {
    const session = connect(url, { ca: caPem });
    await once(session, 'connect');
    const direct = new DirectApns(session);
    // The first answer raises the limit of streams, as Apple's does.
    const raised = once(session, 'remoteSettings');
    await direct.push('0'.repeat(64));
    await raised;
    return direct;
  }

  push(token: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const stream = this.#session.request({
        ':method': 'POST',
        ':path': `/3/device/${token}`,
        authorization: 'bearer none',
        'apns-topic': 'com.example.app',
        'apns-push-type': 'alert',
        'apns-priority': '10',
        'apns-id': randomUUID(),
      });
      stream.on('response', (headers) => {
        if (headers[':status'] !== 200) {
          reject(new Error(`the fake APNs answered ${headers[':status']}`));
          return;
        }
        resolve();
      });
      stream.on('error', reject);
      stream.resume();
      stream.end(PAYLOAD);
    });
  }

  close(): void {
    this.#session.destroy();
  }
}
