/** Removes service workers that are not ours: somebody else may have served this port before. */
export async function dropForeignWorkers(): Promise<void> {
  if (!('serviceWorker' in navigator)) return;
  const own = new URL('/sw.js', location.origin).href;
  for (const registration of await navigator.serviceWorker.getRegistrations().catch(() => [])) {
    const worker = registration.active ?? registration.waiting ?? registration.installing;
    if (worker?.scriptURL !== own) await registration.unregister();
  }
}
