/** What tells a page that somebody is back. */
export function wakers(): [EventTarget, string][] {
  return [
    [document, 'visibilitychange'],
    [document, 'resume'],
    [window, 'pageshow'],
    [window, 'focus'],
  ];
}
