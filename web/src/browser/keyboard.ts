// Single keys. They move and open, and none of them answers.

/**
 * Whether an input method has the key, such as the Enter that ends a Japanese
 * word. WebKit sends that Enter after the composition, with a code of its own.
 */
export function isComposing(event: { isComposing: boolean; keyCode: number }): boolean {
  return event.isComposing || event.keyCode === 229;
}

/** Whether a key was meant for the page, and not for a field, a dialog or the browser. */
export function isForPage(event: KeyboardEvent): boolean {
  if (event.defaultPrevented || isComposing(event) || event.ctrlKey || event.metaKey || event.altKey)
    return false;
  const at = event.target instanceof Element ? event.target : null;
  if (
    at?.closest(
      'input:not([type="checkbox"]), textarea, select, [contenteditable="true"], [role="menu"], [role="listbox"]',
    )
  )
    return false;
  return document.querySelector('[role="dialog"]') === null;
}
