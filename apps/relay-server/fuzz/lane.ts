import { RawSocket } from '@openchambery/testkit';
import type { RawAnswer } from './answer.ts';
import { headerOf, parseAnswer } from './answer.ts';
import { judgeAnswer } from './judge.ts';
import type { MarkerIndex } from './marker-index.ts';
import type { CasePlan, Exchange } from './plan.ts';
import { Random } from './random.ts';

/** Cases on one connection: so few that a connection that was not found wanting is not kept for ever. */
const CASES_PER_CONNECTION = 200;
const EXPECTATION = '\r\nExpect: 100-continue\r\n';

/** What a lane needs. */
export interface LaneOptions {
  readonly port: number;
  readonly index: MarkerIndex;
  /** How long an answer, or the end of a connection, may take, in ms. */
  readonly answerMs: number;
  /** Decides from which addresses the lane connects: limits are per address. */
  readonly seed: number;
}

/** Plays cases one after the other, on one keep-alive connection as long as that lives. */
export class Lane {
  readonly #options: LaneOptions;
  readonly #random: Random;
  #socket: RawSocket | undefined;
  #casesLeft = 0;
  /** Answers that were read. */
  answers = 0;
  /** The longest time an answer took, in ms. */
  slowestMs = 0;

  constructor(options: LaneOptions) {
    this.#options = options;
    this.#random = new Random(options.seed);
  }

  /** Plays a case and says what is wrong. */
  async play(plan: CasePlan): Promise<string | undefined> {
    try {
      const socket = await this.#connection();
      if (plan.isPipelined) return await this.#pipeline(socket, plan.exchanges);
      for (const exchange of plan.exchanges) {
        const fault = await this.#exchange(await this.#connection(), exchange);
        if (fault !== undefined) return this.#drop(fault);
      }
      return undefined;
    } catch (error) {
      return this.#drop(error instanceof Error ? error.message : String(error));
    }
  }

  /** Leaves. */
  close(): void {
    this.#drop(undefined);
  }

  async #connection(): Promise<RawSocket> {
    this.#casesLeft -= 1;
    if (this.#casesLeft <= 0) this.#drop(undefined);
    if (this.#socket !== undefined) {
      const surplus = this.#socket.unread().toString('latin1', 0, 300);
      if (surplus !== '') throw new Error(`more than was asked for: ${JSON.stringify(surplus)}`);
      return this.#socket;
    }
    const random = this.#random;
    const localAddress = `127.${random.integer(1, 250)}.${random.integer(0, 255)}.${random.integer(1, 254)}`;
    this.#socket = await RawSocket.connect({ port: this.#options.port, localAddress });
    this.#casesLeft = random.integer(1, CASES_PER_CONNECTION);
    return this.#socket;
  }

  async #pipeline(socket: RawSocket, exchanges: readonly Exchange[]): Promise<string | undefined> {
    await socket.write(Buffer.concat(exchanges.map(({ bytes }) => bytes)));
    for (const exchange of exchanges) {
      const fault = await this.#readAnswer(socket, exchange, 'pipelined');
      if (fault !== undefined) return this.#drop(`pipelined: ${fault}`);
      // Ended by an answer that may end it: what comes behind has none.
      if (this.#socket !== socket) return undefined;
    }
    return undefined;
  }

  async #exchange(socket: RawSocket, exchange: Exchange): Promise<string | undefined> {
    const { bytes, cuts, due } = exchange;
    let from = 0;
    for (const cut of cuts) {
      await socket.write(bytes.subarray(from, cut));
      from = cut;
    }
    const written = socket.write(bytes.subarray(from));
    if (due.kind === 'end') return this.#awaitEnd(socket, exchange);
    const fault = await this.#readAnswer(socket, exchange, 'alone');
    await written;
    if (due.after === 'may-close') this.#drop(undefined);
    return fault;
  }

  async #readAnswer(
    socket: RawSocket,
    exchange: Exchange,
    order: 'alone' | 'pipelined',
  ): Promise<string | undefined> {
    const { answerMs, index } = this.#options;
    const startMs = performance.now();
    const answer = await socket.read<RawAnswer>('answer', parseAnswer, answerMs);
    this.slowestMs = Math.max(this.slowestMs, performance.now() - startMs);
    this.answers += 1;
    if (headerOf(answer.headers, 'connection')?.toLowerCase() === 'close') {
      if (!mayClose(exchange, order)) return 'the connection is closed for no reason';
      this.#drop(undefined);
    }
    return judgeAnswer(exchange, answer, index);
  }

  /** Whatever comes, the connection has to end, and what comes has to be answers. */
  async #awaitEnd(socket: RawSocket, exchange: Exchange): Promise<string | undefined> {
    if (exchange.leave === 'reset') {
      await socket.write('');
      this.#drop(undefined, 'reset');
      return undefined;
    }
    socket.halfClose();
    await socket.ended(this.#options.answerMs);
    let rest = socket.unread();
    this.#drop(undefined);
    while (rest.length > 0) {
      const parsed = parseAnswer(rest);
      if (parsed === undefined) return `half an answer: ${JSON.stringify(rest.toString('latin1', 0, 300))}`;
      this.answers += 1;
      const fault = judgeAnswer(exchange, parsed.value, this.#options.index);
      if (fault !== undefined) return fault;
      rest = rest.subarray(parsed.usedBytes);
      // What follows are frames of WebSocket; only a marker would be wrong with them.
      if (parsed.value.status === 101) {
        const leak = this.#options.index.find(rest.toString('latin1'));
        return leak === undefined ? undefined : `a close frame holds a marker of seed ${leak.owner}`;
      }
    }
    return undefined;
  }

  /** Gives its argument back, for the caller to return. */
  #drop(fault: string | undefined, how: 'fin' | 'reset' = 'fin'): string | undefined {
    const socket = this.#socket;
    this.#socket = undefined;
    if (how === 'reset') socket?.reset();
    else socket?.destroy();
    return fault;
  }
}

/**
 * Node ends a connection with the answer to a request that asked for a 100 and got none, which is what happens where
 * the request was pipelined (RFC 9110 §10.1.1).
 */
function mayClose({ due, bytes }: Exchange, order: 'alone' | 'pipelined'): boolean {
  if (due.kind === 'end' || due.after === 'may-close') return true;
  return order === 'pipelined' && bytes.includes(EXPECTATION);
}
