import type { BlockPool } from './block-pool.ts';
import { parseCloseBody, type CloseStatus } from './close-frame.ts';
import { MAX_UNMASKED_HEADER_BYTES, unmaskedHeaderBytes, writeUnmaskedHeader } from './frame-header.ts';
import { FrameHeaderParser } from './frame-header-parser.ts';
import { CONTROL_BIT, FIN_BIT, MAX_CONTROL_PAYLOAD_BYTES, OPCODE, OPCODE_BITS } from './opcode.ts';
import { type MaskedPayload, type MaskedRun, rotateKey, type Unmask, unmaskedCopy } from './unmask.ts';

/** A frame that breaks RFC 6455 or the message limit, with the close code for its sender. */
export interface FrameFault {
  readonly code: 1002 | 1007 | 1009;
  readonly reason: string;
}

/** Where a reader delivers what it finds in the bytes of a peer. */
export interface FrameSink {
  /** Whole unmasked frames, ready to be written to another peer. They lie in the current block of the pool. */
  onFrames(frames: Buffer): void;
  /** The last ping of a chunk; RFC 6455 §5.5.3 lets one pong answer several. */
  onPing(payload: Buffer): void;
  /** The peer's close frame. Nothing is delivered after it. */
  onClose(status: CloseStatus): void;
  /** The peer broke the protocol. Nothing is delivered after it. */
  onFault(fault: FrameFault): void;
}

/** What all readers of a relay share. */
export interface FrameReaderSettings {
  /** The most payload one message may have over all its fragments, in bytes. */
  readonly maxMessageBytes: number;
  readonly unmask: Unmask;
  readonly blocks: BlockPool;
}

/**
 * The end of a chunk that holds less than this of an unfinished frame waits for more of that frame; otherwise
 * peers would see small messages in needless pieces. A message is of no use to its receiver before its end, so
 * waiting costs no latency. In bytes; it is also the most a reader keeps.
 */
const MIN_PIECE_BYTES = 4096;

/**
 * What a block must hold beyond the largest chunk, in bytes: what an earlier chunk left, and a header that came
 * with it. All other headers shrink by the peer's masking key.
 */
export const BLOCK_RESERVE_BYTES: number = MIN_PIECE_BYTES + MAX_UNMASKED_HEADER_BYTES;

/** One run for every reader: an unmask call never outlives its caller's turn. */
const RUN: MaskedRun = { from: 0, to: 0, length: 0, key: 0 };

/**
 * Turns the masked frames of one peer into unmasked frames for another, chunk by chunk.
 *
 * A frame that ends beyond its chunk goes out as a fragment of what is there (RFC 6455 §5.4 lets an intermediary
 * do that), so the outgoing stream is at a frame boundary after every chunk: a ping or a close frame of our own
 * never has to wait, and a source that vanishes in mid-frame leaves nothing broken behind.
 */
export class FrameReader {
  readonly #sink: FrameSink;
  readonly #settings: FrameReaderSettings;
  readonly #header: FrameHeaderParser;
  #state: 'header' | 'data' | 'control' | 'stopped' = 'header';
  /** Payload of the current frame still to come, in bytes. */
  #remaining = 0;
  #key = 0;
  /** FIN bit and opcode for the next piece of the frame; the opcode is 0 after the first piece. */
  #first = 0;
  /** Payload of the current frame that waits for more of it. */
  #held: Buffer | undefined;
  #heldBytes = 0;
  /** The last ping of the chunk being read. */
  #ping: MaskedPayload | undefined;
  /** The frames found in the chunk being read are [0, #end) of the block. */
  #block: Buffer;
  #end = 0;
  #frames = 0;

  constructor(settings: FrameReaderSettings, sink: FrameSink) {
    this.#settings = settings;
    this.#sink = sink;
    this.#header = new FrameHeaderParser(settings.maxMessageBytes);
    this.#block = settings.blocks.current;
  }

  /** Reads the next bytes of the peer, which are not changed. Gives how many frames began in them. */
  read(bytes: Buffer): number {
    const most = this.#settings.blocks.blockBytes - BLOCK_RESERVE_BYTES;
    this.#frames = 0;
    if (bytes.length <= most) this.#readChunk(bytes);
    else for (let at = 0; at < bytes.length; at += most) this.#readChunk(bytes.subarray(at, at + most));
    return this.#frames;
  }

  /** Stops reading for good: whatever comes next is ignored. */
  stop(): void {
    this.#state = 'stopped';
    this.#dropHeld();
    this.#ping = undefined;
  }

  /** Reads bytes whose frames fit into one block. */
  #readChunk(chunk: Buffer): void {
    this.#block = this.#settings.blocks.pick(chunk.length + this.#heldBytes + MAX_UNMASKED_HEADER_BYTES);
    this.#end = 0;
    let at = 0;
    while (at < chunk.length) {
      if (this.#state === 'header') at = this.#readHeader(chunk, at);
      else if (this.#state === 'data') at = this.#readData(chunk, at);
      else if (this.#state === 'control') at = this.#readControl(chunk, at);
      else return;
    }
    this.#flush();
  }

  #readHeader(chunk: Buffer, at: number): number {
    const header = this.#header;
    const payloadAt = header.read(chunk, at);
    if (payloadAt < 0) {
      if (header.fault !== undefined) this.#fail(header.fault);
      return chunk.length;
    }
    this.#frames++;
    this.#remaining = header.payloadBytes;
    this.#key = header.key;
    this.#first = header.first;
    if ((header.first & CONTROL_BIT) === 0) {
      this.#state = 'data';
      return this.#readData(chunk, payloadAt);
    }
    this.#state = 'control';
    return this.#readControl(chunk, payloadAt);
  }

  #readData(chunk: Buffer, at: number): number {
    const available = Math.min(this.#remaining, chunk.length - at);
    const end = at + available;
    this.#remaining -= available;
    if (this.#remaining === 0) {
      this.#emitPiece(chunk, at, end);
      this.#state = 'header';
      return end;
    }
    if (this.#heldBytes + available < MIN_PIECE_BYTES) {
      this.#hold(chunk, at, end);
    } else {
      const fin = this.#first & FIN_BIT;
      this.#first &= ~FIN_BIT;
      this.#emitPiece(chunk, at, end);
      this.#first = fin | OPCODE.continuation;
    }
    this.#key = rotateKey(this.#key, available);
    return end;
  }

  /** Appends what is held and the payload in [at, end) to the outgoing frames, as one frame. */
  #emitPiece(chunk: Buffer, at: number, end: number): void {
    const block = this.#block;
    const payloadBytes = this.#heldBytes + (end - at);
    let to = this.#end;
    writeUnmaskedHeader(block, to, this.#first, payloadBytes);
    to += unmaskedHeaderBytes(payloadBytes);
    if (this.#held !== undefined) {
      to += this.#held.copy(block, to, 0, this.#heldBytes);
      this.#dropHeld();
    }
    RUN.from = at;
    RUN.to = to;
    RUN.length = end - at;
    RUN.key = this.#key;
    this.#settings.unmask(chunk, block, RUN);
    this.#end = to + (end - at);
  }

  /** Keeps the end of a chunk in a small buffer of its own, unmasked. */
  #hold(chunk: Buffer, at: number, end: number): void {
    const most = (this.#first & CONTROL_BIT) === 0 ? MIN_PIECE_BYTES : MAX_CONTROL_PAYLOAD_BYTES;
    this.#held ??= Buffer.allocUnsafe(Math.min(end - at + this.#remaining, most));
    RUN.from = at;
    RUN.to = this.#heldBytes;
    RUN.length = end - at;
    RUN.key = this.#key;
    this.#settings.unmask(chunk, this.#held, RUN);
    this.#heldBytes += end - at;
  }

  #dropHeld(): void {
    this.#held = undefined;
    this.#heldBytes = 0;
  }

  #readControl(chunk: Buffer, at: number): number {
    const end = Math.min(at + this.#remaining, chunk.length);
    this.#remaining -= end - at;
    if (this.#remaining === 0 && this.#held === undefined) {
      this.#finishControl(chunk, at, end);
      return end;
    }
    this.#hold(chunk, at, end);
    this.#key = rotateKey(this.#key, end - at);
    if (this.#remaining > 0) return end;
    const [payload, bytes] = [this.#held as Buffer, this.#heldBytes];
    this.#dropHeld();
    // What was held is unmasked already.
    this.#key = 0;
    this.#finishControl(payload, 0, bytes);
    return end;
  }

  /** Of several pings only the last is looked into: what strangers can send by the thousand must cost next to nothing. */
  #finishControl(source: Buffer, from: number, end: number): void {
    this.#state = 'header';
    const opcode = this.#first & OPCODE_BITS;
    if (opcode === OPCODE.pong) return;
    const payload: MaskedPayload = { source, from, length: end - from, key: this.#key };
    if (opcode === OPCODE.ping) this.#ping = payload;
    else this.#close(unmaskedCopy(payload, this.#settings.unmask));
  }

  #close(payload: Buffer): void {
    const parsed = parseCloseBody(payload);
    if (!parsed.ok) return this.#fail(parsed.fault);
    this.#flush();
    this.stop();
    this.#sink.onClose(parsed.status);
  }

  #fail(fault: FrameFault): void {
    this.#flush();
    this.stop();
    this.#sink.onFault(fault);
  }

  /** Delivers the frames found so far, then the last ping. */
  #flush(): void {
    const bytes = this.#end;
    this.#end = 0;
    if (bytes > 0) this.#sink.onFrames(this.#block.subarray(0, bytes));
    const ping = this.#ping;
    if (ping === undefined) return;
    this.#ping = undefined;
    this.#sink.onPing(unmaskedCopy(ping, this.#settings.unmask));
  }
}
