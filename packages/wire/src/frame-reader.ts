import { parseCloseBody, type CloseStatus } from './close-frame.ts';
import { MAX_UNMASKED_HEADER_BYTES, unmaskedHeaderBytes, writeUnmaskedHeader } from './frame-header.ts';
import { FrameHeaderParser } from './frame-header-parser.ts';
import { CONTROL_BIT, FIN_BIT, MAX_CONTROL_PAYLOAD_BYTES, OPCODE, OPCODE_BITS } from './opcode.ts';
import { rotateKey, type MaskedRun, type Unmask } from './unmask.ts';

/** A frame that breaks RFC 6455 or the message limit, with the close code for its sender. */
export interface FrameFault {
  readonly code: 1002 | 1007 | 1009;
  readonly reason: string;
}

/** Where a reader delivers what it finds in the bytes of a peer. */
export interface FrameSink {
  /**
   * Whole unmasked frames, ready to be written to another peer: `prefix`, if any, then `run`, if any. The bytes
   * now belong to the sink.
   */
  onFrames(prefix: Buffer | undefined, run: Buffer | undefined): void;
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
}

/**
 * The end of a chunk that holds less than this of an unfinished frame waits for more of that frame; otherwise
 * peers would see small messages in needless pieces. A message is of no use to its receiver before its end, so
 * waiting costs no latency. In bytes; it is also the most a reader keeps.
 */
const MIN_PIECE_BYTES = 4096;

/** One run for every reader: an unmask call never outlives its caller's turn. */
const RUN: MaskedRun = { from: 0, to: 0, length: 0, key: 0 };

/**
 * Turns the masked frames of one peer into unmasked frames for another, chunk by chunk and in place.
 *
 * A frame that ends beyond its chunk goes out as a fragment of what is there (RFC 6455 §5.4 lets an intermediary
 * do that), so the outgoing stream is at a frame boundary after every chunk: a ping or a close frame of our own
 * never has to wait, and a source that vanishes in mid-frame leaves nothing broken behind.
 */
export class FrameReader {
  readonly #sink: FrameSink;
  readonly #unmask: Unmask;
  readonly #header: FrameHeaderParser;
  #state: 'header' | 'data' | 'control' | 'stopped' = 'header';
  /** Payload of the current frame still to come, in bytes. */
  #remaining = 0;
  #key = 0;
  /** FIN bit and opcode for the next piece of the frame; the opcode is 0 after the first piece. */
  #first = 0;
  /** Payload that waits: of a data frame, with room for a header in front, or of a control frame. */
  #held: Buffer | undefined;
  #heldBytes = 0;
  #ping: Buffer | undefined;
  /** Of the chunk being read: the finished frames are the prefix and then [#runStart, #runEnd). */
  #prefix: Buffer | undefined;
  #runStart = 0;
  #runEnd = 0;

  constructor(settings: FrameReaderSettings, sink: FrameSink) {
    this.#unmask = settings.unmask;
    this.#sink = sink;
    this.#header = new FrameHeaderParser(settings.maxMessageBytes);
  }

  /** Reads the next bytes of the peer. The chunk now belongs to the reader, which changes it. */
  read(chunk: Buffer): void {
    this.#runStart = 0;
    this.#runEnd = 0;
    let at = 0;
    while (at < chunk.length) {
      if (this.#state === 'header') at = this.#readHeader(chunk, at);
      else if (this.#state === 'data') at = this.#readData(chunk, at);
      else if (this.#state === 'control') at = this.#readControl(chunk, at);
      else return;
    }
    this.#flush(chunk);
  }

  /** Stops reading for good: whatever comes next is ignored. */
  stop(): void {
    this.#state = 'stopped';
    this.#held = undefined;
    this.#heldBytes = 0;
    this.#ping = undefined;
  }

  #readHeader(chunk: Buffer, at: number): number {
    const header = this.#header;
    const payloadAt = header.read(chunk, at);
    if (payloadAt < 0) {
      if (header.fault !== undefined) this.#fail(chunk, header.fault);
      return chunk.length;
    }
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
    const payloadBytes = this.#heldBytes + (end - at);
    const headerBytes = unmaskedHeaderBytes(payloadBytes);
    let to = at;
    if (this.#held === undefined && at - this.#runEnd >= headerBytes) {
      // Room in front of the payload: the peer's header was longer by its masking key.
      if (this.#runEnd === this.#runStart) {
        this.#runStart = at - headerBytes;
        this.#runEnd = this.#runStart;
      }
      writeUnmaskedHeader(chunk, this.#runEnd, this.#first, payloadBytes);
      to = this.#runEnd + headerBytes;
    } else {
      // Only at the start of a chunk: all or part of the frame's header came with an earlier one.
      this.#prefix = this.#takePrefix(headerBytes, payloadBytes);
      this.#runStart = at;
    }
    this.#unmaskTo(chunk, { from: at, to, end });
    this.#runEnd = to + (end - at);
  }

  #takePrefix(headerBytes: number, payloadBytes: number): Buffer {
    const held = this.#held ?? Buffer.allocUnsafe(MAX_UNMASKED_HEADER_BYTES);
    const start = MAX_UNMASKED_HEADER_BYTES - headerBytes;
    const prefix = held.subarray(start, MAX_UNMASKED_HEADER_BYTES + this.#heldBytes);
    writeUnmaskedHeader(prefix, 0, this.#first, payloadBytes);
    this.#held = undefined;
    this.#heldBytes = 0;
    return prefix;
  }

  /** Keeps the end of a chunk in a small buffer of its own, so that the chunk itself can go. */
  #hold(chunk: Buffer, at: number, end: number): void {
    this.#unmaskTo(chunk, { from: at, to: at, end });
    this.#held ??= Buffer.allocUnsafe(
      MAX_UNMASKED_HEADER_BYTES + Math.min(end - at + this.#remaining, MIN_PIECE_BYTES),
    );
    chunk.copy(this.#held, MAX_UNMASKED_HEADER_BYTES + this.#heldBytes, at, end);
    this.#heldBytes += end - at;
  }

  #unmaskTo(chunk: Buffer, where: { from: number; to: number; end: number }): void {
    RUN.from = where.from;
    RUN.to = where.to;
    RUN.length = where.end - where.from;
    RUN.key = this.#key;
    this.#unmask(chunk, RUN);
  }

  #readControl(chunk: Buffer, at: number): number {
    const end = Math.min(at + this.#remaining, chunk.length);
    this.#unmaskTo(chunk, { from: at, to: at, end });
    this.#remaining -= end - at;
    if (this.#held === undefined && this.#remaining === 0) {
      this.#finishControl(chunk, chunk.subarray(at, end));
      return end;
    }
    this.#key = rotateKey(this.#key, end - at);
    this.#held ??= Buffer.allocUnsafe(MAX_CONTROL_PAYLOAD_BYTES);
    chunk.copy(this.#held, this.#heldBytes, at, end);
    this.#heldBytes += end - at;
    if (this.#remaining === 0) {
      const payload = this.#held.subarray(0, this.#heldBytes);
      this.#held = undefined;
      this.#heldBytes = 0;
      this.#finishControl(chunk, payload);
    }
    return end;
  }

  #finishControl(chunk: Buffer, payload: Buffer): void {
    this.#state = 'header';
    const opcode = this.#first & OPCODE_BITS;
    // Copied: a later frame of the chunk may be moved over it.
    if (opcode === OPCODE.ping) this.#ping = Buffer.from(payload);
    if (opcode !== OPCODE.close) return;
    const parsed = parseCloseBody(payload);
    if (!parsed.ok) return this.#fail(chunk, parsed.fault);
    this.#flush(chunk);
    this.stop();
    this.#sink.onClose(parsed.status);
  }

  #fail(chunk: Buffer, fault: FrameFault): void {
    this.#flush(chunk);
    this.stop();
    this.#sink.onFault(fault);
  }

  /** Delivers the finished frames of the chunk, then the last ping. */
  #flush(chunk: Buffer): void {
    const prefix = this.#prefix;
    const bytes = this.#runEnd - this.#runStart;
    this.#prefix = undefined;
    if (bytes > 0) {
      const run = chunk.subarray(this.#runStart, this.#runEnd);
      // A little data among much else must not keep the whole chunk in memory while it waits.
      this.#sink.onFrames(prefix, bytes * 2 < chunk.length ? Buffer.from(run) : run);
    } else if (prefix !== undefined) {
      this.#sink.onFrames(prefix, undefined);
    }
    this.#runStart = this.#runEnd;
    if (this.#ping === undefined) return;
    const payload = this.#ping;
    this.#ping = undefined;
    this.#sink.onPing(payload);
  }
}
