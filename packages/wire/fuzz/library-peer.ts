import type { Socket } from 'node:net';
import { WebSocket } from 'ws';
import type { ClientOptions } from 'ws';
import type { Message } from '../test/support/naive-decoder.ts';
import { Pauses, Runner } from './peer.ts';
import type { FuzzPeer, PeerReport, PeerSetting } from './peer.ts';
import type { Step } from './plan.ts';

/** A client of the `ws` library. */
export class LibraryPeer implements FuzzPeer {
  readonly #socket: WebSocket;
  readonly #messages: Message[] = [];
  readonly #pongs: string[] = [];
  readonly #runner: Runner;
  #close = { code: 1006, reason: '' };
  #complaint: string | undefined;
  #isOver = false;

  constructor({ plan, progress, connect, path }: PeerSetting) {
    const options: ClientOptions & { readonly maxPendingAutoPongs: number } = {
      createConnection: () => connect() as Socket,
      generateMask: (mask) => void mask.writeUInt32LE((mask.readUInt32LE(0) * 5 + 0x9e3779b9) >>> 0),
      perMessageDeflate: false,
      // What came in may be no text, and of any size the relay lets through.
      skipUTF8Validation: true,
      maxPayload: 0,
      // A relay that pings faster than in the field must not make the library leave.
      maxPendingAutoPongs: 0,
    };
    const socket = new WebSocket(`ws://relay.test${path}`, options);
    this.#socket = socket;
    this.#runner = new Runner(plan.steps, progress, (step) => this.#act(step));
    const pauses = new Pauses(plan.pauses, progress, socket);
    socket.on('open', () => this.#runner.run());
    socket.on('message', (data, isBinary) => {
      this.#messages.push({ isBinary, payload: data as Buffer });
      pauses.count((data as Buffer).length);
    });
    socket.on('ping', () => pauses.count(0));
    socket.on('pong', (data) => this.#pongs.push(data.toString('latin1')));
    socket.on('error', (error: Error & { code?: string }) => {
      // Anything else says that the connection broke, which the close event says too.
      if (error.code?.startsWith('WS_ERR') === true) this.#complaint = `${error.code}: ${error.message}`;
    });
    socket.on('close', (code, reason) => {
      this.#close = { code, reason: reason.toString() };
      this.#runner.stop();
      this.#isOver = true;
      progress.note();
    });
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  leave(): void {
    this.#socket.terminate();
  }

  report(): PeerReport {
    return {
      messages: this.#messages,
      pongs: this.#pongs,
      close: this.#close,
      complaint: this.#complaint,
      done: this.#runner.done,
    };
  }

  #act(step: Exclude<Step, { kind: 'wait' }>): void {
    const socket = this.#socket;
    if (step.kind === 'destroy') {
      socket.terminate();
    } else if (socket.readyState !== WebSocket.OPEN) {
      // A close frame came first: what the library would refuse to do is not done.
      this.#runner.done.pop();
      this.#runner.stop();
    } else if (step.kind === 'send') {
      socket.send(step.data, { binary: step.isBinary, fin: step.fin });
    } else if (step.kind === 'ping' || step.kind === 'pong') {
      socket[step.kind](step.data);
    } else if (step.kind === 'close') {
      socket.close(step.code, step.reason);
    } else {
      throw new Error(`the library has no way to ${step.kind}`);
    }
  }
}
