import { z } from "zod";

/** A text without control characters: it becomes part of a header or an address. */
export const Text = (longest: number) =>
  z
    .string()
    .trim()
    .min(1)
    .max(longest)
    .regex(/^\P{Cc}*$/u, "Must not contain control characters");

/** A token that goes into a header or a path: visible ASCII characters. */
export const Token = z
  .string()
  .trim()
  .max(1024)
  .regex(/^[\x21-\x7e]+$/, "Must consist of visible ASCII characters, without spaces");

/** The token of a Telegram bot, which becomes part of an address. */
export const BotToken = Token.regex(/^\d+:[\w-]+$/, "Must be the token that @BotFather gave, such as 123456:ABC-DEF");

/** The address of a server, without a slash at its end. */
export const Server = z
  .string()
  .trim()
  .max(2048)
  .transform((text) => text.replace(/\/+$/, ""))
  .refine(isServer, "Must be an address such as https://ntfy.sh, without user name, password or query");

function isServer(text: string): boolean {
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) return false;
  const { username, password, search, hash } = new URL(text);
  return `${username}${password}${search}${hash}` === "";
}
