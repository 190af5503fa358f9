/** A command of a client. */
export interface Command {
  /** In upper case; empty if the line holds no verb. */
  readonly verb: string;
  readonly argument: string;
}

/** The line is longer than any command. */
export class LineTooLong extends Error {
  override name = "LineTooLong";
}

/** Clients send Telnet's interrupt signals before ABOR. The kernel may have taken the last byte of them as urgent data. */
const telnetSignals = /^(?:\xff[\xf0-\xfe]?|\xf2)+/;
const utf8 = new TextDecoder("utf-8", { fatal: true });

/** Splits the bytes of a control connection into commands. */
export class CommandLines {
  readonly #mostBytes: number;
  #rest: Buffer = Buffer.alloc(0);

  constructor(mostBytes: number) {
    this.#mostBytes = mostBytes;
  }

  /** Returns the commands that are complete. Throws `LineTooLong`. */
  push(chunk: Buffer): readonly Command[] {
    const commands: Command[] = [];
    let rest = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    for (let end = rest.indexOf(10); end !== -1; end = rest.indexOf(10)) {
      if (end > this.#mostBytes) throw new LineTooLong();
      commands.push(parse(rest.subarray(0, end)));
      rest = rest.subarray(end + 1);
    }
    if (rest.length > this.#mostBytes) throw new LineTooLong();
    // a copy, so that a long chunk is not kept for its last bytes
    this.#rest = Buffer.from(rest);
    return commands;
  }

  /** Forgets an incomplete line. */
  clear(): void {
    this.#rest = Buffer.alloc(0);
  }
}

function parse(line: Buffer): Command {
  const plain = line.toString("latin1").replace(telnetSignals, "").replace(/\r+$/, "").replaceAll("\0", "");
  const [, verb = "", argument = ""] = /^([A-Za-z]{3,5})(?: (.*))?$/s.exec(plain.trimStart()) ?? [];
  return { verb: verb.toUpperCase(), argument: decode(argument) };
}

/** Decodes UTF-8. Old cameras send names in Latin-1, which is rarely valid UTF-8. */
function decode(latin1: string): string {
  try {
    return utf8.decode(Buffer.from(latin1, "latin1"));
  } catch {
    return latin1;
  }
}
