import { eventually, pushPaths, RawSocket, registerRequest, sendRequest } from '@openchambery/testkit';
import type { HostIdentity, PushRequest } from '@openchambery/testkit';
import { parseAnswer } from './answer.ts';
import { makeNumberedIdentity } from './identities.ts';
import { readAnswer } from './judge.ts';
import type { Markers } from './markers.ts';

/** A server that no case uses. */
const IDENTITY_NUMBER = 1_000_000;
/** What needs nobody else is answered within this time, whatever others do, in ms. */
const CONTROL_MS = 5000;
/** A delivery takes 5 s where a service does not answer on a fresh connection, and the rest comes on top, in ms. */
const DELIVERY_MS = 12_000;
/** Deliveries work again this long after services have stopped to misbehave, in ms: a breaker rests for 30 s. */
const RECOVERY_MS = 45_000;

/** An ordinary server amid all that: what it asks for is done, and in time. */
export class Controls {
  readonly #port: number;
  readonly #markers: Markers;
  readonly #identity: HostIdentity = makeNumberedIdentity(IDENTITY_NUMBER);
  readonly #token: string;
  /** Requests made. */
  count = 0;
  slowestMs = 0;

  constructor(port: number, markers: Markers) {
    this.#port = port;
    this.#markers = markers;
    this.#token = markers.hex(32);
  }

  /** Registers and sends once on a connection of its own, and says what is wrong. */
  async check(): Promise<string | undefined> {
    const bound = await this.#ask(registerRequest(this.#identity, this.#token), '{"ok":true}');
    if (bound !== undefined) return bound;
    // Whether it is delivered depends on services that misbehave on purpose.
    const row = `^\\{"results":\\[\\{"token":"${this.#token}","ok":(?:true|false)\\}\\]\\}$`;
    return this.#ask(this.#send(), new RegExp(row, 'u'));
  }

  /** Says what is wrong when deliveries do not work although the services do. */
  async checkDelivery(): Promise<string | undefined> {
    const row = `{"results":[{"token":"${this.#token}","ok":true}]}`;
    try {
      await eventually(
        async () => {
          // A round may be over before its first control.
          const fault = (await this.check()) ?? (await this.#ask(this.#send(), row));
          if (fault !== undefined) throw new Error(fault);
        },
        { timeoutMs: RECOVERY_MS, everyMs: 250 },
      );
      return undefined;
    } catch (error) {
      return `deliveries do not recover: ${String(error)}`;
    }
  }

  #send(): PushRequest {
    return sendRequest(this.#identity, { tokens: [this.#token], title: this.#markers.text() });
  }

  async #ask({ path, body }: PushRequest, expected: string | RegExp): Promise<string | undefined> {
    const text = JSON.stringify(body);
    const head = `POST ${path} HTTP/1.1\r\nHost: control\r\nContent-Length: ${Buffer.byteLength(text)}\r\n\r\n`;
    const startMs = performance.now();
    const socket = await RawSocket.connect({ port: this.#port });
    try {
      void socket.write(head + text);
      const answer = await socket.read(
        'answer',
        parseAnswer,
        path === pushPaths.send ? DELIVERY_MS : CONTROL_MS,
      );
      this.count += 1;
      this.slowestMs = Math.max(this.slowestMs, performance.now() - startMs);
      const reading = readAnswer(answer);
      if ('fault' in reading) return `control: ${reading.fault}`;
      const isExpected = typeof expected === 'string' ? answer.body === expected : expected.test(answer.body);
      return isExpected ? undefined : `control: ${answer.status} ${answer.body}`;
    } catch (error) {
      return `control: ${String(error)}`;
    } finally {
      socket.destroy();
    }
  }
}
