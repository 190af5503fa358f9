import { useSearchParams } from "wouter";
import { cameraRoutes } from "../../src/contract/routes/cameras.ts";
import { For } from "../api/use-may.tsx";
import { useReply } from "../api/use-reply.ts";
import { Button } from "../parts/button.tsx";
import { CameraTile } from "../parts/camera-tile.tsx";
import { everyCamera } from "../parts/names.tsx";
import { Page } from "../parts/page.tsx";
import { Empty, Loaded } from "../parts/states.tsx";
import { useAdminTexts } from "../texts/admin.ts";
import { useTexts } from "../texts/texts.tsx";
import { AddCamera } from "./cameras/add.tsx";
import { BrokenFolders, DeletedCameras } from "./cameras/trouble.tsx";

/** All cameras by name, those with a broken folder, and deleted ones. `?add=1` opens the form of a new one. */
export default function CamerasPage() {
  const texts = useTexts();
  const admin = useAdminTexts();
  const [address, setAddress] = useSearchParams();
  const cameras = useReply(cameraRoutes.listCameras, everyCamera);
  const add = (
    <Button look="main" className="min-h-11" onClick={() => setAddress({ add: "1" })}>
      {admin.cameras.add}
    </Button>
  );
  return (
    <Page title={texts.nav.cameras} actions={<For who="owner">{add}</For>}>
      <For who="owner">
        <BrokenFolders />
      </For>
      <Loaded reply={cameras}>
        {(data) =>
          data.cameras.length === 0 ? (
            <Empty title={texts.now.noCameras} hint={texts.now.noCamerasHint} />
          ) : (
            <ul className="mb-8 grid grid-cols-2 gap-3 md:grid-cols-3 lg:grid-cols-4">
              {data.cameras.map((camera) => (
                <li key={camera.camera_id}>
                  <CameraTile camera={camera} />
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
      <For who="owner">
        <DeletedCameras />
      </For>
      <AddCamera isOpen={address.get("add") === "1"} onClose={() => setAddress({}, { replace: true })} />
    </Page>
  );
}
