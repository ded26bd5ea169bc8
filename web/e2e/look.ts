import AxeBuilder from '@axe-core/playwright';
import { expect, type Page } from '@playwright/test';
import { shot, shots } from './gateway';

/** No violations of accessibility rules in what is on the screen, light and dark. */
export async function accessible(page: Page): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    const axe = new AxeBuilder({ page }).setLegacyMode(); // no frames here, which each need a page more
    const { violations } = await axe.analyze();
    const told = violations.map((v) => `${v.id}: ${v.nodes.map((n) => n.html.slice(0, 160)).join(' | ')}`);
    expect(told, colorScheme).toEqual([]);
  }
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
}

const screens = [
  [375, 812],
  [768, 1024],
  [1440, 900],
  [2560, 1440],
] as const;

/** Pictures at every size, light and dark. */
export async function allPictures(page: Page, name: string): Promise<void> {
  if (!process.env['SHOTS']) return;
  for (const [width, height] of screens) {
    await page.setViewportSize({ width, height });
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      await shot(page, `all ${name} ${width} ${colorScheme}`);
    }
  }
}

/** Pictures, also of a screen in between. */
export async function pictures(page: Page, name: string): Promise<void> {
  await shots(page, name);
  if (!process.env['SHOTS']) return;
  await page.setViewportSize({ width: 768, height: 1024 });
  await shot(page, `${name}-768-light`);
  await page.setViewportSize({ width: 1440, height: 900 });
}
