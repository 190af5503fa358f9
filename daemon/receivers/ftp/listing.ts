import type { ListedEntry } from "./session-files.ts";

const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** The formats of a listing by verb. */
export const listings: Readonly<Record<"LIST" | "NLST" | "MLSD", (entry: ListedEntry) => string>> = {
  LIST: ({ name, isFolder, bytes, at }) => {
    const date = `${months[at.getUTCMonth()]} ${String(at.getUTCDate()).padStart(2)} ${at.toISOString().slice(11, 16)}`;
    return `${isFolder ? "drwxrwx---" : "-rw-rw----"} 1 camera camera ${String(bytes).padStart(10)} ${date} ${name}`;
  },
  NLST: ({ name }) => name,
  MLSD: ({ name, isFolder, bytes, at }) => `type=${isFolder ? "dir" : "file"};size=${bytes};modify=${timeText(at)}; ${name}`,
};

/** Returns the listing as the data connection carries it. */
export function listingText(verb: keyof typeof listings, entries: readonly ListedEntry[]): string {
  return entries.map((entry) => `${listings[verb](entry)}\r\n`).join("");
}

/** Returns a time as FTP writes it, such as `20261127131500`. */
export function timeText(at: Date): string {
  return at.toISOString().replace(/\..*|[-:T]/g, "");
}
