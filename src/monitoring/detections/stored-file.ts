import { randomUUID } from "node:crypto";
import { access, mkdir, rename, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import type { Log } from "../../base/log/log.ts";
import type { Bytes } from "../../contract/answer.ts";

/** A file in the data folder that is created on its first request. */
export interface FileToStore {
  readonly file: string;
  readonly mediaType: string;
  create(): Promise<NewFile>;
}

/** The content of a new file. */
export interface NewFile {
  readonly bytes: Buffer;
  /** Records it in the database. Resolves to false if what it shows has changed meanwhile: then the file is deleted. */
  note(): Promise<boolean>;
}

/** Files in progress in this process. */
const underWay = new Map<string, Promise<Bytes>>();

/** Creates a file and returns it. Concurrent requests share one. A full disk prevents the storing, not the reply. */
export async function storeOnce(wanted: FileToStore, log: Log): Promise<Bytes> {
  const { file } = wanted;
  const started = underWay.get(file);
  if (started) return await started;
  const making = make(wanted, log).finally(() => underWay.delete(file));
  underWay.set(file, making);
  return await making;
}

async function make({ file, mediaType, create }: FileToStore, log: Log): Promise<Bytes> {
  const { bytes: buffer, note } = await create();
  try {
    await keep(file, buffer);
  } catch (err) {
    log.warn({ err, file }, "a small picture could not be stored; the next request creates it again");
    return { mediaType, content: { buffer } };
  }
  if (await note()) return { mediaType, content: { file } };
  await removeFile(file, log);
  return { mediaType, content: { buffer } };
}

/** Tells whether a file exists. */
export async function exists(file: string): Promise<boolean> {
  try {
    await access(file);
    return true;
  } catch {
    return false;
  }
}

/** Deletes a file. A failure is logged. */
export async function removeFile(file: string, log: Log): Promise<void> {
  try {
    await rm(file, { force: true });
  } catch (err) {
    log.warn({ err, file }, "an unused small picture could not be deleted");
  }
}

/** Writes the file completely or not at all. */
async function keep(file: string, bytes: Buffer): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  const unfinished = `${file}.${randomUUID()}.tmp`;
  try {
    await writeFile(unfinished, bytes);
    await rename(unfinished, file);
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
}
