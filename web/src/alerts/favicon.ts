// The sign of the tab, with a lamp that is lit and a number when something waits.

function picture(count: number): string {
  const words = count > 99 ? '99+' : String(count);
  const size = words.length > 2 ? 11 : words.length > 1 ? 14 : 17;
  return [
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">',
    '<rect x="2" y="2" width="14" height="28" rx="7" fill="#1b1f24"/>',
    '<circle cx="9" cy="10" r="4.5" fill="#efa73a"/><circle cx="9" cy="22" r="4" fill="#4a5058"/>',
    '<circle cx="21" cy="21" r="11" fill="#b3261e"/>',
    `<text x="21" y="${21 + size * 0.36}" font-family="sans-serif" font-size="${size}" font-weight="700" text-anchor="middle" fill="#fff">${words}</text>`,
    '</svg>',
  ].join('');
}

const plain = '/favicon.svg';

export function faviconFor(count: number): string {
  return count > 0 ? `data:image/svg+xml,${encodeURIComponent(picture(count))}` : plain;
}

export function setFavicon(count: number): void {
  const link = document.querySelector<HTMLLinkElement>('link[rel="icon"]');
  const href = faviconFor(count);
  if (link && link.getAttribute('href') !== href) link.setAttribute('href', href);
}

// The number on the icon of an installed dashboard. A browser without it has none.
export function setBadge(count: number): void {
  if (!('setAppBadge' in navigator)) return;
  void (count > 0 ? navigator.setAppBadge(count) : navigator.clearAppBadge()).catch(() => undefined);
}
