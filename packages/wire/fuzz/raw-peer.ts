import type { Duplex } from 'node:stream';
import { clientFrame } from '../test/support/client-frames.ts';
import { decodeStream } from '../test/support/naive-decoder.ts';
import { FrameWatch } from './frame-watch.ts';
import { Pauses, Runner } from './peer.ts';
import type { FuzzPeer, PeerReport, PeerSetting } from './peer.ts';
import type { Step } from './plan.ts';

/** RFC 6455 §1.3. */
const KEY = 'dGhlIHNhbXBsZSBub25jZQ==';

/** A writer that decides every byte, and a reader that takes nothing on trust. */
export class RawPeer implements FuzzPeer {
  readonly #setting: PeerSetting;
  readonly #socket: Duplex;
  readonly #runner: Runner;
  readonly #received: Buffer[] = [];
  readonly #watch = new FrameWatch();
  readonly #pauses: Pauses;
  #isAtBoundary = true;
  #hasAnswered = false;
  #isReset = false;

  constructor(setting: PeerSetting) {
    this.#setting = setting;
    const { plan, progress } = setting;
    this.#socket = setting.connect();
    this.#runner = new Runner(plan.steps, progress, (step) => this.#act(step));
    this.#pauses = new Pauses(plan.pauses, progress, this.#socket);
    this.#socket.on('data', (bytes: Buffer) => this.#read(bytes));
    this.#socket.on('error', () => (this.#isReset = true));
    this.#socket.on('close', () => {
      this.#runner.stop();
      progress.note();
    });
    this.#socket.write(
      [
        `GET ${setting.path} HTTP/1.1`,
        'Host: relay.test',
        'Upgrade: websocket',
        'Connection: Upgrade',
        `Sec-WebSocket-Key: ${KEY}`,
        'Sec-WebSocket-Version: 13',
        '\r\n',
      ].join('\r\n'),
    );
    if (!plan.waitsForAnswer) this.#runner.run();
  }

  get isOver(): boolean {
    return this.#socket.closed;
  }

  leave(): void {
    this.#socket.destroy();
  }

  report(): PeerReport {
    const decoded = decodeStream(Buffer.concat(this.#received), { masked: false, shortestLengths: true });
    const { ending } = decoded;
    return {
      messages: decoded.messages,
      pongs: decoded.controls
        .filter(({ opcode }) => opcode === 10)
        .map(({ payload }) => payload.toString('latin1')),
      close:
        ending.kind === 'closed' ? { code: ending.code, reason: ending.reason } : { code: 1006, reason: '' },
      complaint: this.#complain(ending, decoded.restBytes),
      done: this.#runner.done,
    };
  }

  #complain(ending: ReturnType<typeof decodeStream>['ending'], restBytes: number): string | undefined {
    if (ending.kind === 'fault') return `${ending.code}: ${ending.why}`;
    if (restBytes > 0 && !this.#isReset && ending.kind === 'closed')
      return `${restBytes} bytes behind the close frame`;
    if (restBytes > 0 && !this.#isReset && !this.#hasLeft)
      return `${restBytes} bytes of a frame that is cut off`;
    return undefined;
  }

  /** Whether the peer itself made an end that may cut what it gets. */
  get #hasLeft(): boolean {
    const { plan } = this.#setting;
    const stopsForEver = plan.pauses.some(({ turns }) => turns === Number.POSITIVE_INFINITY);
    return (
      stopsForEver ||
      plan.ignoresClose ||
      this.#runner.done.some(({ kind }) => kind === 'destroy' || kind === 'fin')
    );
  }

  #read(bytes: Buffer): void {
    this.#setting.progress.note();
    const hadAnswer = this.#watch.hasAnswer;
    const frames = this.#watch.feed(bytes);
    this.#received.push(Buffer.from(frames));
    this.#pauses.count(bytes.length);
    if (this.#setting.plan.waitsForAnswer && this.#watch.hasAnswer && !hadAnswer) this.#runner.run();
    if (this.#watch.hasClose && !this.#hasAnswered && !this.#setting.plan.ignoresClose) this.#answerClose();
  }

  /** Gives up its steps; answers with a close frame if that would be one, and ends TCP. */
  #answerClose(): void {
    this.#hasAnswered = true;
    this.#runner.stop();
    if (this.#socket.writableEnded || this.#socket.destroyed) return;
    if (this.#isAtBoundary) this.#socket.write(clientFrame({ opcode: 8 }));
    this.#socket.end();
  }

  #act(step: Exclude<Step, { kind: 'wait' }>): void {
    if (step.kind === 'write') {
      this.#isAtBoundary = step.isBoundary;
      if (!this.#socket.writableEnded) this.#socket.write(step.bytes);
    } else if (step.kind === 'fin') {
      this.#socket.end();
    } else if (step.kind === 'destroy') {
      this.#socket.destroy();
    } else {
      throw new Error(`a raw peer has no way to ${step.kind}`);
    }
  }
}
