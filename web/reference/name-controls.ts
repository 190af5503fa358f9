type Mend = readonly [selector: string, attribute: string, value: string];

/** What Swagger UI 5 leaves out for readers with a screen reader or without a mouse. */
const mends: readonly Mend[] = [
  [".servers select", "aria-label", "Server"],
  ["select.examples-select-element", "aria-label", "Example"],
  [".content-type-wrapper select, .response-controls select", "aria-label", "Media type"],
  [".parameters-col_description select", "aria-label", "Value"],
  ["button.close-modal", "aria-label", "Close"],
  ["button.modal-btn[aria-label='Apply credentials']", "aria-label", "Authorize: apply credentials"],
  ["button.modal-btn[aria-label='Remove authorization']", "aria-label", "Logout: remove credentials"],
  // below the title, which is the first level
  ["h3.opblock-tag, .modal-ux-header h3, section.models > h4", "aria-level", "2"],
  [".opblock-body h4, .auth-container h4", "aria-level", "3"],
  [".opblock-body h5", "aria-level", "4"],
  [".information-container", "role", "region"],
  [".information-container", "aria-label", "About this API"],
  [".filter-container", "role", "search"],
  [".filter-container", "aria-label", "Groups of routes"],
  [".operation-filter-input", "aria-label", "Filter by group"],
  [".operation-filter-input", "placeholder", "Filter by group, such as events"],
  // wide text scrolls with the arrow keys
  ["pre.microlight, .highlight-code > pre, .body-param__example", "tabindex", "0"],
];

/** Adds these attributes to everything that appears below the element. */
export function nameControls(place: HTMLElement): void {
  const apply = (): void => {
    for (const [selector, attribute, value] of mends)
      for (const found of place.querySelectorAll(selector))
        if (found.getAttribute(attribute) !== value) found.setAttribute(attribute, value);
  };
  new MutationObserver(apply).observe(place, { childList: true, subtree: true });
  apply();
}
