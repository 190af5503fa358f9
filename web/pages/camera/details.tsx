import { useState } from "react";
import { useLocation } from "wouter";
import { cameraRoutes } from "../../../src/contract/routes/cameras.ts";
import { useAction } from "../../api/use-reply.ts";
import { useAttempt } from "../../parts/attempt.ts";
import { Button } from "../../parts/button.tsx";
import type { CameraRecord } from "../../parts/camera-tile.tsx";
import { ConfirmButton } from "../../parts/confirm-button.tsx";
import { TextField } from "../../parts/fields.tsx";
import { Section } from "../../parts/page.tsx";
import { useAdminTexts } from "../../texts/admin.ts";
import { useFormat } from "../../texts/format.tsx";
import { useTexts } from "../../texts/texts.tsx";

/** The name and the folder of a camera, which can be changed, and its deletion. */
export function Details({ camera }: { readonly camera: CameraRecord }) {
  const texts = useTexts();
  const format = useFormat();
  const attempt = useAttempt();
  const [name, setName] = useState(camera.name);
  const [folder, setFolder] = useState(camera.folder_path);
  const update = useAction(cameraRoutes.updateCamera, [cameraRoutes.getCamera, cameraRoutes.listCameras]);
  const isChanged = name.trim() !== camera.name || folder.trim() !== camera.folder_path;
  const save = (): void => {
    const body = { name: name.trim(), ...(folder.trim() !== camera.folder_path && { folder_path: folder.trim() }) };
    void attempt(update.run({ params: { camera_id: camera.camera_id }, body }), texts.event.saved);
  };
  return (
    <Section title={texts.camera.details}>
      <form
        className="grid gap-3"
        onSubmit={(submitted) => {
          submitted.preventDefault();
          save();
        }}
      >
        <TextField label={texts.camera.name} required maxLength={255} value={name} onText={setName} />
        <TextField label={texts.camera.folder} required maxLength={2000} spellCheck={false} value={folder} onText={setFolder} />
        <p className="text-sm text-soft">
          {texts.camera.added}: {format.time(camera.created_at)}
        </p>
        <div className="flex flex-wrap justify-between gap-3">
          <Button type="submit" look={isChanged ? "main" : "plain"} isBusy={!isChanged || update.isRunning} className="min-h-11">
            {texts.common.save}
          </Button>
          <Remove camera={camera} />
        </div>
      </form>
    </Section>
  );
}

function Remove({ camera: { camera_id, name } }: { readonly camera: CameraRecord }) {
  const texts = useTexts();
  const { cameras } = useAdminTexts();
  const attempt = useAttempt();
  const [, go] = useLocation();
  const remove = useAction(cameraRoutes.deleteCamera, [cameraRoutes.listCameras, cameraRoutes.listDeletedCameras]);
  const onRemove = async (): Promise<void> => {
    const isRemoved = await attempt(
      remove.run({ params: { camera_id } }).then(() => true),
      cameras.removed(name),
    );
    if (isRemoved) go("/cameras");
  };
  return (
    <ConfirmButton
      text={texts.event.remove}
      title={cameras.removeTitle(name)}
      disabled={remove.isRunning}
      onConfirm={() => void onRemove()}
    >
      {cameras.removeHint}
    </ConfirmButton>
  );
}
