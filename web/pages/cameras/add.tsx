import { useState } from "react";
import { useLocation } from "wouter";
import { cameraRoutes } from "../../../src/contract/routes/cameras.ts";
import { pipelineRoutes } from "../../../src/contract/routes/system-pipeline.ts";
import { useAction, useReply } from "../../api/use-reply.ts";
import { Button } from "../../parts/button.tsx";
import type { CameraRecord } from "../../parts/camera-tile.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { Fault } from "../../parts/fault.tsx";
import { TextField } from "../../parts/fields.tsx";
import { useAdminTexts } from "../../texts/admin.ts";

/** The form of a new camera. A name is enough; homesec creates the folder. */
export function CameraForm({ onAdded }: { readonly onAdded: (camera: CameraRecord) => void }) {
  const { cameras } = useAdminTexts();
  const [name, setName] = useState("");
  const [folder, setFolder] = useState("");
  const [id, setId] = useState("");
  const { data } = useReply(pipelineRoutes.getPipeline, {});
  const create = useAction(cameraRoutes.createCamera, [cameraRoutes.listCameras]);
  const submit = (): void => {
    const body = {
      name: name.trim(),
      ...(folder.trim() !== "" && { folder_path: folder.trim() }),
      ...(id.trim() !== "" && { camera_id: id.trim() }),
    };
    create.run({ body }).then(onAdded, () => {});
  };
  return (
    <form
      className="grid gap-4"
      onSubmit={(submitted) => {
        submitted.preventDefault();
        submit();
      }}
    >
      <TextField
        name="name"
        label={cameras.name}
        hint={cameras.addHint}
        placeholder={cameras.nameHint}
        required
        maxLength={255}
        autoComplete="off"
        value={name}
        onText={setName}
      />
      <details className="rounded-lg border border-line p-3">
        <summary className="min-h-8 font-medium">{cameras.advanced}</summary>
        <div className="mt-2 grid gap-4">
          <TextField
            name="folder_path"
            label={cameras.folder}
            hint={cameras.folderHint(data?.file_watcher.camera_root ?? "CAMERA_ROOT")}
            maxLength={2000}
            spellCheck={false}
            value={folder}
            onText={setFolder}
          />
          <TextField
            name="camera_id"
            label={cameras.id}
            hint={cameras.idHint}
            pattern="[a-z0-9_\-]{1,64}"
            placeholder="front-door"
            spellCheck={false}
            autoCapitalize="none"
            value={id}
            onText={setId}
          />
        </div>
      </details>
      <Fault error={create.error} />
      <Button type="submit" look="main" isBusy={create.isRunning} className="min-h-11 justify-self-start">
        {cameras.create}
      </Button>
    </form>
  );
}

/** The form in a dialog; afterwards the page of the camera says what to do next. */
export function AddCamera({ isOpen, onClose }: { readonly isOpen: boolean; readonly onClose: () => void }) {
  const { cameras } = useAdminTexts();
  const [, go] = useLocation();
  return (
    <Dialog title={cameras.add} isOpen={isOpen} onClose={onClose}>
      <CameraForm onAdded={({ camera_id }) => go(`/cameras/${encodeURIComponent(camera_id)}`)} />
    </Dialog>
  );
}
