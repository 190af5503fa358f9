import { createContext, type ReactNode, useContext, useMemo } from "react";
import { cameraRoutes } from "../../src/contract/routes/cameras.ts";
import { useReply } from "../api/use-reply.ts";
import type { Texts } from "../texts/en.ts";
import { useTexts } from "../texts/texts.tsx";

/** The request for all cameras, the same everywhere, so that it is asked once. */
export const everyCamera = { query: { limit: 1000 } };

const Names = createContext<(id: string) => string>((id) => id);

/** Asks for the cameras once for all rows that name one. What names them changes only with a name, so that rows are not drawn again. */
export function CameraNames({ children }: { readonly children: ReactNode }) {
  const { data } = useReply(cameraRoutes.listCameras, everyCamera);
  const all = JSON.stringify(data?.cameras.map(({ camera_id, name }) => [camera_id, name]) ?? []);
  const nameOf = useMemo(() => {
    const names = new Map<string, string>(JSON.parse(all));
    return (id: string): string => names.get(id) ?? id;
  }, [all]);
  return <Names value={nameOf}>{children}</Names>;
}

/** Returns a function that names a camera by its id. */
export function useCameraNames(): (id: string) => string {
  return useContext(Names);
}

/** Returns a function that names a mode in the reader's language; custom modes keep their names. */
export function useModeNames(): (mode: string) => string {
  const { modes } = useTexts();
  const names: Readonly<Record<string, string>> = modes.names;
  return (mode) => names[mode] ?? mode;
}

/** Returns the name of a class in the reader's language, in the singular or for a number. */
export function className(texts: Texts, label: string, count = 1): string {
  const [one, many] = texts.classes[label] ?? [label, label];
  return count === 1 ? one : many;
}

/** Names several classes: "person, dog". */
export function classNames(texts: Texts, labels: readonly string[]): string {
  return labels.map((label) => className(texts, label)).join(", ");
}

/** The name of a channel for people: of `email`, `webhook`, `push` and `all` in their language; other channels have the name that they were given. */
export function channelName(texts: Texts, channel: string): string {
  const names: Readonly<Record<string, string>> = texts.alerts.channel;
  return Object.hasOwn(names, channel) ? (names[channel] ?? channel) : channel;
}
