import { useParams } from "wouter";
import { cameraRoutes } from "../../src/contract/routes/cameras.ts";
import { eventRoutes } from "../../src/contract/routes/events.ts";
import { sceneRoutes } from "../../src/contract/routes/scenes.ts";
import { For, useMay } from "../api/use-may.tsx";
import { useAction, useReply } from "../api/use-reply.ts";
import { useKeys } from "../keys/keys.tsx";
import { Button } from "../parts/button.tsx";
import { type CameraRecord, snapshotOf } from "../parts/camera-tile.tsx";
import { EventRow } from "../parts/event-row.tsx";
import { MuteButton, useActiveSilences } from "../parts/mute.tsx";
import { Page, Section } from "../parts/page.tsx";
import { Loaded } from "../parts/states.tsx";
import { Thumbnail } from "../parts/thumbnail.tsx";
import { useAdminTexts } from "../texts/admin.ts";
import { Ago } from "../texts/format.tsx";
import { useTexts } from "../texts/texts.tsx";
import { Activity } from "./camera/activity.tsx";
import { FilesAndClock } from "./camera/clock.tsx";
import { Details } from "./camera/details.tsx";
import { Files } from "./camera/files.tsx";
import { Masks } from "./camera/masks.tsx";
import { Parked } from "./camera/parked.tsx";
import { Pull } from "./camera/pull.tsx";
import { Unusual } from "./camera/unusual.tsx";
import { Why } from "./camera/why.tsx";
import { Zones } from "./camera/zones.tsx";
import { Connect } from "./cameras/connect.tsx";
import { useSilence } from "./silence-hour.ts";

/** One camera: its last picture, its events, what is usual there, and what has changed. */
export default function CameraPage() {
  const id = decodeURIComponent(useParams()["id"] ?? "");
  const camera = useReply(cameraRoutes.getCamera, { params: { camera_id: id } });
  // whether it is muted stands in the heading, which must not grow after it was shown
  if (useActiveSilences().isLoading) return null;
  return <Loaded reply={camera}>{(data) => <Shown key={data.camera_id} camera={data} />}</Loaded>;
}

function Shown({ camera }: { readonly camera: CameraRecord }) {
  const texts = useTexts();
  const { connect } = useAdminTexts();
  const silence = useSilence();
  const mute = (): void => void silence(camera.camera_id);
  const mayMute = useMay("resident");
  useKeys(mayMute ? { silence: mute } : {});
  const isUnwell = camera.status === "offline" || camera.status === "error";
  return (
    <Page title={camera.name} actions={<MuteButton cameraId={camera.camera_id} />}>
      <div className="gap-6 lg:grid lg:grid-cols-2">
        <div>
          <Thumbnail of={camera} src={snapshotOf(camera, 1280)} alt={camera.name} />
          <p className={`my-3 ${isUnwell ? "font-semibold text-high" : ""}`}>
            {texts.camera.status[camera.status]}
            {camera.last_seen_at && (
              <>
                {" · "}
                <Ago time={camera.last_seen_at} />
              </>
            )}
          </p>
          <Events cameraId={camera.camera_id} />
          <For who="owner">
            <Zones camera={camera} />
            <Masks camera={camera} />
          </For>
        </div>
        <div>
          <For who="resident">
            <Section title={texts.camera.activity}>
              <Activity cameraId={camera.camera_id} />
            </Section>
          </For>
          <SceneChanges cameraId={camera.camera_id} />
          <Parked cameraId={camera.camera_id} />
          <For who="resident">
            <Unusual camera={camera} />
            <Why cameraId={camera.camera_id} />
            <Files cameraId={camera.camera_id} />
          </For>
          <For who="owner">
            <Section title={connect.title}>
              <Connect cameraId={camera.camera_id} />
            </Section>
            <Pull camera={camera} />
            <Details key={camera.folder_path} camera={camera} />
            <FilesAndClock camera={camera} />
          </For>
        </div>
      </div>
    </Page>
  );
}

function Events({ cameraId }: { readonly cameraId: string }) {
  const texts = useTexts();
  const events = useReply(eventRoutes.listEvents, { query: { camera_id: [cameraId], kind: "all", limit: 8 } });
  const link = { href: `/review?show=all&camera=${encodeURIComponent(cameraId)}`, text: texts.common.all };
  return (
    <Section title={texts.camera.events} link={link}>
      <Loaded reply={events}>
        {({ items }) =>
          items.length === 0 ? (
            <p className="text-soft">{texts.now.noEvents}</p>
          ) : (
            items.map((event) => <EventRow key={event.id} event={event} />)
          )
        }
      </Loaded>
    </Section>
  );
}

function SceneChanges({ cameraId }: { readonly cameraId: string }) {
  const texts = useTexts();
  const params = { camera_id: cameraId };
  const changes = useReply(sceneRoutes.listSceneChanges, { params, query: { limit: 5 } });
  const acknowledge = useAction(sceneRoutes.acknowledgeSceneChange, [sceneRoutes.listSceneChanges]);
  return (
    <Section title={texts.camera.sceneChanges}>
      <Loaded reply={changes}>
        {({ scene_changes }) =>
          scene_changes.length === 0 ? (
            <p className="text-soft">{texts.camera.noSceneChanges}</p>
          ) : (
            scene_changes.map(({ id, change_type, detected_at, acknowledged }) => (
              <p key={id} className="flex items-center justify-between gap-3 py-1">
                <span>
                  {texts.camera.sceneChange[change_type]} · <Ago time={detected_at} />
                </span>
                {!acknowledged && (
                  <For who="resident">
                    <Button onClick={() => void acknowledge.run({ params: { ...params, id } })}>{texts.camera.confirm}</Button>
                  </For>
                )}
              </p>
            ))
          )
        }
      </Loaded>
    </Section>
  );
}
