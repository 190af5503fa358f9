import type { Config } from "../../src/config/config.ts";

/** What a backup lacks to open the secrets in it. */
export function keyNote(secretKeyPath: string): string {
  return `The key file is not in the backup: ${secretKeyPath}. Keep a copy of it in another place; without it the secrets of webhooks stay closed.`;
}

/** What a backup lacks to show pictures. */
export function pictureNote({ cameraRoot, dataDir }: Pick<Config, "cameraRoot" | "dataDir">): string {
  return `Pictures (${cameraRoot}) and thumbnails (${dataDir}/thumbnails) are not in it either: thumbnails are made again as long as their pictures are there.`;
}

/** What has to be brought to a restored home beside its backup. */
export function restoredNotes({ secretKeyPath, cameraRoot }: Pick<Config, "secretKeyPath" | "cameraRoot">): readonly string[] {
  return [
    `The key file was not in the backup: put your copy of it at ${secretKeyPath}; without it the secrets of webhooks stay closed.`,
    `Pictures were not in it either: those that you have kept go into ${cameraRoot}, and their thumbnails are made again.`,
  ];
}
