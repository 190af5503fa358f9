import type { ScreenIn, ScreenOut } from "../terminal.ts";
import type { Protocol } from "./graphics.ts";

/** Longest wait for the answers of a terminal. */
const answerMs = 300;

/** Whether it can show a picture of one pixel, its name and version, and what every terminal answers: its attributes. */
const question = "\u001b_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\u001b\\\u001b[>q\u001b[c";
// biome-ignore lint/suspicious/noControlCharactersInRegex: terminals answer with escape characters
const answers = /\u001b_G[^\u001b]*\u001b\\|\u001bP[^\u001b]*\u001b\\|\u001b\[\?[\d;]*c/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: as above
const attributes = /\u001b\[\?[\d;]*c/;

/** What a terminal answered. */
export interface Answer {
  readonly protocol: Protocol | undefined;
  /** What was typed meanwhile. */
  readonly typed: string;
}

/**
 * Asks the terminal which pictures it shows. Needs raw mode, so that answers do not appear on the screen. Inside tmux and screen nothing is
 * asked: they show no pictures of their own, and pass them on only if they were configured to.
 */
export async function askTerminal(stdin: ScreenIn, stdout: ScreenOut, env: Readonly<Record<string, string | undefined>>): Promise<Answer> {
  if ((env["TMUX"] ?? "") !== "" || /^(?:tmux|screen)/.test(env["TERM"] ?? "")) return { protocol: undefined, typed: "" };
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
    stdout.write(question);
  });
  const typed = got.replace(answers, "");
  if (got.includes("\u001b_Gi=31;OK")) return { protocol: "kitty", typed };
  const isIterm = ["iTerm2", "WezTerm"].some((name) => got.includes(`\u001bP>|${name}`)) || env["TERM_PROGRAM"] === "iTerm.app";
  return { protocol: isIterm ? "iterm" : undefined, typed };
}
