/** Why a file cannot be read or written, in words. */
export function fileReason(error: unknown): string {
  const { code = "" } = error as NodeJS.ErrnoException;
  const reasons: Readonly<Record<string, string>> = {
    ENOENT: "it does not exist",
    EISDIR: "it is a folder",
    ENOTDIR: "a part of its path is no folder",
    EACCES: "this user may not",
    ENOSPC: "the disk is full",
  };
  return reasons[code] ?? (code || String(error));
}
