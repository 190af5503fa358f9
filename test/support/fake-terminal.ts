import { EventEmitter } from "node:events";
import type { ScreenIn, ScreenOut } from "../../commands/picture/terminal.ts";

const wide = /^[\p{Emoji_Presentation}\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60]/u;
// biome-ignore lint/suspicious/noControlCharactersInRegex: escape codes begin with this character
const tokens = /\u001b\[([?\d;]*)([A-Za-z])|[^\u001b]/gu;

// biome-ignore lint/suspicious/noControlCharactersInRegex: as above
const unseen = /\u001b[_P][^\u001b]*\u001b\\|\u001b\][^\u0007]*\u0007|\u001b\[>q|\u001b\[16t|\u001b\[c/g;

/** An in-memory terminal, sufficient for a program that writes whole lines. Fails on unknown sequences. */
export class FakeTerminal extends EventEmitter implements ScreenOut {
  readonly isTTY = true;
  columns: number;
  rows: number;
  /** Everything written, piece by piece. */
  readonly written: string[] = [];
  /** Private modes that are set: 1049 alternate screen, 25 cursor, 7 wrapping. */
  readonly modes = new Map<string, boolean>();
  #cells: string[][] = [];
  #at = { x: 0, y: 0 };

  constructor(columns: number, rows: number) {
    super();
    this.columns = columns;
    this.rows = rows;
    this.#clear();
  }

  write(text: string, onEnd?: () => void): boolean {
    onEnd?.();
    this.written.push(text);
    // pictures and questions: a plain terminal shows nothing of them
    for (const [token, numbers = "", last] of text.replace(unseen, "").matchAll(tokens)) {
      if (last === undefined) this.#put(token);
      else this.#control(numbers, last);
    }
    this.emit("written");
    return true;
  }

  /** Its lines without trailing spaces. */
  get lines(): string[] {
    return this.#cells.map((line) => line.join("").trimEnd());
  }

  get text(): string {
    return `${this.lines.join("\n").trimEnd()}\n`;
  }

  /** Width of a line in columns. */
  widthOf(line: number): number {
    return (this.#cells[line] ?? []).findLastIndex((cell) => cell !== " ") + 1;
  }

  resize(columns: number, rows: number): void {
    this.columns = columns;
    this.rows = rows;
    this.#cells = Array.from({ length: rows }, (_, y) => Array.from({ length: columns }, (_, x) => this.#cells[y]?.[x] ?? " "));
    this.emit("resize");
  }

  #clear(): void {
    this.#cells = Array.from({ length: this.rows }, () => Array.from({ length: this.columns }, () => " "));
  }

  #put(character: string): void {
    if (character === "\n") {
      this.#at = { x: 0, y: Math.min(this.#at.y + 1, this.rows - 1) };
      return;
    }
    const line = this.#cells[this.#at.y];
    if (line === undefined) throw new Error(`written below the screen: ${JSON.stringify(character)}`);
    if (/^\p{M}/u.test(character)) {
      line[this.#at.x - 1] = (line[this.#at.x - 1] ?? "") + character;
      return;
    }
    if (/\p{Cc}/u.test(character)) throw new Error(`a control character: ${JSON.stringify(character)}`);
    const columns = wide.test(character) ? 2 : 1;
    if (this.#at.x + columns > this.columns) throw new Error(`written beyond the right edge in line ${this.#at.y}: ${line.join("")}`);
    line[this.#at.x] = character;
    if (columns === 2) line[this.#at.x + 1] = "";
    this.#at.x += columns;
  }

  #control(numbers: string, last: string): void {
    const [first = 1, second = 1] = numbers.split(";").map(Number);
    if (numbers.startsWith("?")) this.modes.set(numbers.slice(1), last === "h");
    else if (last === "G") this.#at.x = first - 1;
    else if (last === "H") this.#at = { x: second - 1, y: first - 1 };
    else if (last === "J" && numbers === "2") this.#clear();
    else if (last === "K" && numbers === "") this.#cells[this.#at.y]?.fill(" ", this.#at.x);
    else if (last !== "m") throw new Error(`this terminal does not know ESC[${numbers}${last}`);
  }
}

/** A keyboard. */
export class FakeKeys extends EventEmitter implements ScreenIn {
  readonly isTTY = true;
  raw = false;
  reading = false;

  setRawMode(raw: boolean): void {
    this.raw = raw;
  }
  setEncoding(): void {}
  resume(): void {
    this.reading = true;
  }
  pause(): void {
    this.reading = false;
  }
  type(text: string): void {
    this.emit("data", text);
  }
}
