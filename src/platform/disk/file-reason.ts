const both: Readonly<Record<string, string>> = {
  EISDIR: "it is a folder",
  ENOTDIR: "part of its path is not a folder",
  ENAMETOOLONG: "its name is too long",
  ELOOP: "its links form a loop",
  EIO: "the disk failed",
  ERR_INVALID_ARG_VALUE: "no file can have such a name",
};

const reading: Readonly<Record<string, string>> = {
  ...both,
  ENOENT: "it does not exist",
  EACCES: "this user may not read it",
  EPERM: "this user may not read it",
};

const writing: Readonly<Record<string, string>> = {
  ...both,
  ENOENT: "its folder does not exist; create it first",
  EACCES: "this user may not write there; choose another place",
  EPERM: "this user may not write there; choose another place",
  ENODEV: "it is a device or a pipe; choose another place",
  EROFS: "that disk is read-only; choose another place",
  ENOSPC: "the disk is full; free some space or choose another disk",
  EDQUOT: "the quota is used up; free some space or choose another disk",
};

/** Describes why a file cannot be read. */
export function readingReason(error: unknown): string {
  return reasonIn(reading, error);
}

/** Describes why a file cannot be written, and how to fix it if that is not obvious. */
export function writingReason(error: unknown): string {
  return reasonIn(writing, error);
}

function reasonIn(reasons: Readonly<Record<string, string>>, error: unknown): string {
  const { code = "" } = error as NodeJS.ErrnoException;
  return reasons[code] ?? (code || String(error));
}

/** Tells whether this is a usual error of writing a file, and not one of the data's source. */
export function isWritingTrouble(error: unknown): error is NodeJS.ErrnoException {
  const { code = "", syscall } = error instanceof Error ? (error as NodeJS.ErrnoException) : {};
  return code in writing && syscall !== "connect";
}
