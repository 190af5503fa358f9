import { useEffect, useRef } from "react";

/** Every key of the page with what it does. The list behind `?` shows this table, and nothing else binds keys. */
export const bindings = [
  ["j", "next"],
  ["k", "previous"],
  ["x", "select"],
  ["Enter", "open"],
  ["r", "reviewed"],
  ["a", "acknowledge"],
  ["d", "dismiss"],
  ["s", "silence"],
  ["u", "back"],
  ["/", "search"],
  [":", "views"],
  ["?", "help"],
  ["1", "now"],
  ["2", "review"],
  ["3", "cameras"],
] as const;

/** What a key can do. */
export type KeyAction = (typeof bindings)[number][1];

/** What the keys do on a page; what is absent does nothing there. */
export type KeyHandlers = Readonly<Partial<Record<KeyAction, () => void>>>;

/** Whether an element takes text or keys of its own. */
function takesKeys(target: EventTarget | null, key: string): boolean {
  if (!(target instanceof HTMLElement)) return false;
  // a dialog that was just closed keeps the focus until the next frame
  if (target.closest("dialog:not([open])")) return false;
  if (target.isContentEditable || target.closest("input, textarea, select, dialog, [role=dialog], [role=menu]")) return true;
  return key === "Enter" && target.closest("a, button, summary") !== null;
}

/** Binds the keys of the table while the component is on the page. They never fire in a text field or with a modifier. */
export function useKeys(handlers: KeyHandlers): void {
  const current = useRef(handlers);
  current.current = handlers;
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || takesKeys(event.target, event.key)) return;
      const action = bindings.find(([key]) => key === event.key)?.[1];
      const handle = action && current.current[action];
      if (!handle) return;
      event.preventDefault();
      handle();
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, []);
}
