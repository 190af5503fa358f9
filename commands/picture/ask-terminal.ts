import type { Protocol } from "./graphics.ts";
import type { ScreenIn, ScreenOut, Size } from "./terminal.ts";

/** Longest wait for the answers of a terminal. */
const answerMs = 300;

/** Whether it can show a picture of one pixel, and its name and version. */
const questions = "\u001b_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\u001b\\\u001b[>q";
/** The size of a cell in pixels, and what every terminal answers: its attributes. */
const lastQuestions = "\u001b[16t\u001b[c";
// biome-ignore lint/suspicious/noControlCharactersInRegex: terminals answer with escape characters
const answers = /\u001b_G[^\u001b]*\u001b\\|\u001bP[^\u001b]*\u001b\\|\u001b\[6;\d+;\d+t|\u001b\[\?[\d;]*c/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: as above
const attributes = /\u001b\[\?([\d;]*)c/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: as above
const cellSize = /\u001b\[6;([1-9]\d{0,2});([1-9]\d{0,2})t/;
/** The attribute of terminals that draw Sixel. */
const drawsSixel = "4";

/** The answers of a terminal. */
export interface Answer {
  readonly protocol: Protocol | undefined;
  /** The size of a cell in pixels. */
  readonly cell?: Size;
  /** Text that the user typed meanwhile. */
  readonly typed: string;
}

/**
 * Asks the terminal which pictures it shows. Needs raw mode, so that answers do not appear on the screen. tmux and screen are asked only for
 * Sixel, the one protocol that tmux draws itself; the other questions would end up in its titles.
 */
export async function askTerminal(
  stdin: ScreenIn,
  stdout: Pick<ScreenOut, "write">,
  env: Readonly<Record<string, string | undefined>>,
): Promise<Answer> {
  const isInside = (env["TMUX"] ?? "") !== "" || /^(?:tmux|screen)/.test(env["TERM"] ?? "");
  stdin.setRawMode(true);
  stdin.setEncoding("utf8");
  let got = "";
  await new Promise<void>((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      stdin.off("data", take);
      resolve();
    };
    const take = (text: string): void => {
      got += text;
      if (attributes.test(got)) end();
    };
    const timer = setTimeout(end, answerMs);
    stdin.on("data", take);
    stdin.resume();
    stdout.write((isInside ? "" : questions) + lastQuestions);
  });
  const [, rows, columns] = cellSize.exec(got) ?? [];
  const cell = rows !== undefined && { cell: { columns: Number(columns), rows: Number(rows) } };
  return { protocol: protocolOf(got, !isInside && env["TERM_PROGRAM"] === "iTerm.app"), ...cell, typed: got.replace(answers, "") };
}

function protocolOf(got: string, isIterm: boolean): Protocol | undefined {
  if (got.includes("\u001b_Gi=31;OK")) return "kitty";
  if (isIterm || ["iTerm2", "WezTerm"].some((name) => got.includes(`\u001bP>|${name}`))) return "iterm";
  const [, listed = ""] = attributes.exec(got) ?? [];
  return listed.split(";").slice(1).includes(drawsSixel) ? "sixel" : undefined;
}
