import type { Clock, Timer } from '@openchambery/tunnel';

/** A line that tells how things are. */
export interface StatusLine {
  /** Shows the line anew; one that is the same as before costs nothing. */
  show(text: string): void;
  /** Prints whole lines that stay, above the status line where that is redrawn. */
  print(text: string): void;
  /** The line stays as it is, and what comes next begins on a new one. */
  end(): void;
}

/** A terminal, as far as a status line has to know it. */
export interface Terminal {
  write(text: string): void;
  /** Columns at this moment. */
  columns(): number;
}

/** The least time between two drawings, in ms; the eye wants no more. */
const REDRAW_MS = 200;

/** ECMA-48: carriage return, and erase in line from the cursor on. */
const TO_START = '\r\u001b[K';

/** A status line that is drawn over itself. */
export function createLiveStatusLine(terminal: Terminal, clock: Clock): StatusLine {
  let wanted = '';
  let drawn = '';
  let pause: Timer | undefined;
  const draw = (): void => {
    // A line as long as the terminal is wide would make some of them begin the next.
    const fitting = fitInto(wanted, Math.max(terminal.columns() - 1, 1));
    if (fitting === drawn) return;
    drawn = fitting;
    terminal.write(`${TO_START}${fitting}`);
    pause = clock.setTimer(() => {
      pause = undefined;
      draw();
    }, REDRAW_MS);
  };
  return {
    show: (text) => {
      wanted = text;
      if (pause === undefined) draw();
    },
    print: (text) => {
      terminal.write(`${drawn === '' ? '' : TO_START}${text}`);
      if (drawn !== '') terminal.write(drawn);
    },
    end: () => {
      pause?.cancel();
      pause = undefined;
      draw();
      pause = cancelled(pause);
      if (drawn !== '') terminal.write('\n');
      wanted = '';
      drawn = '';
    },
  };
}

function cancelled(timer: Timer | undefined): undefined {
  timer?.cancel();
  return undefined;
}

/** Cut to so many characters; every character we print is one column wide, but for what others named. */
function fitInto(text: string, columns: number): string {
  const characters = Array.from(text);
  return characters.length <= columns ? text : `${characters.slice(0, Math.max(columns - 1, 0)).join('')}…`;
}

/** For files and pipes: a line of its own for each change. */
export function createPlainStatusLine(write: (text: string) => void): StatusLine {
  let last = '';
  return {
    show: (text) => {
      if (text === last) return;
      last = text;
      write(`${text}\n`);
    },
    print: write,
    end: () => undefined,
  };
}
