import { useState } from "react";
import { useLocation } from "wouter";
import { cameraRoutes } from "../../src/contract/routes/cameras.ts";
import { useReply } from "../api/use-reply.ts";
import { Dialog } from "../parts/dialog.tsx";
import { everyCamera } from "../parts/names.tsx";
import { useTexts } from "../texts/texts.tsx";
import type { NavEntry } from "./pages.ts";

interface ViewsProps {
  readonly entries: readonly NavEntry[];
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

/** Goes to a page or a camera by the first letters of its name. */
export function Views({ entries, isOpen, onClose }: ViewsProps) {
  const texts = useTexts();
  return (
    <Dialog title={texts.keys.views} isOpen={isOpen} onClose={onClose}>
      <Choice entries={entries} onClose={onClose} />
    </Dialog>
  );
}

/** Entries that fit on a phone without scrolling. */
const mostShown = 8;

function Choice({ entries, onClose }: Omit<ViewsProps, "isOpen">) {
  const texts = useTexts();
  const [, go] = useLocation();
  const [typed, setTyped] = useState("");
  const { data } = useReply(cameraRoutes.listCameras, everyCamera);
  const wanted = typed.trim().toLowerCase();
  const all = [
    ...entries.map(({ path, text }) => ({ path: path as string, name: texts.nav[text] })),
    ...(data?.cameras ?? []).map(({ camera_id, name }) => ({ path: `/cameras/${encodeURIComponent(camera_id)}`, name })),
  ];
  const found = all.filter(({ name }) => name.toLowerCase().includes(wanted)).slice(0, mostShown);
  const open = (path: string | undefined): void => {
    if (path === undefined) return;
    onClose();
    go(path);
  };
  return (
    <form
      onSubmit={(submitted) => {
        submitted.preventDefault();
        open(found[0]?.path);
      }}
    >
      <input
        data-first
        aria-label={texts.keys.views}
        value={typed}
        onChange={({ target }) => setTyped(target.value)}
        className="min-h-11 w-full rounded-lg border border-line bg-card px-3"
      />
      <ul className="mt-3 grid">
        {found.map(({ path, name }) => (
          <li key={path}>
            <button
              type="button"
              onClick={() => open(path)}
              className="min-h-11 w-full rounded-lg px-3 text-left first-of-type:font-medium hover:bg-raised"
            >
              {name}
            </button>
          </li>
        ))}
      </ul>
    </form>
  );
}
