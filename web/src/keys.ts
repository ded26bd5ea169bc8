// Single keys. They move and open, and none of them answers.

/** Whether a key was meant for the page, and not for a field, a dialog or the browser. */
export function isForPage(event: KeyboardEvent): boolean {
  if (event.defaultPrevented || event.isComposing || event.ctrlKey || event.metaKey || event.altKey)
    return false;
  const at = event.target instanceof Element ? event.target : null;
  if (at?.closest('input, textarea, select, [contenteditable="true"], [role="menu"], [role="listbox"]'))
    return false;
  return document.querySelector('[role="dialog"]') === null;
}
