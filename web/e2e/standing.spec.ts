import { expect } from '@playwright/test';
import { shots, test } from './gateway';
import { begin, card, decision, press, show, tab } from './page';

test('an approval for every session says where and how long, clears another session, and is revoked', async ({
  browserOf,
  gateway,
}) => {
  test.slow(); // many pictures
  const page = await tab(browserOf, gateway);
  await begin(page, 'guide', 'ordered');
  await expect(card(page)).toHaveCount(3);
  const first = card(page).first();
  await first.getByRole('button', { name: 'Approve in every session…' }).click();
  await expect(first.getByTestId('summary')).toContainText(
    `in every session of guide in ${gateway.folder}, for 30 days.`,
  );
  await first.getByTestId('summary').scrollIntoViewIfNeeded();
  await shots(page, 'standing');
  await page.setViewportSize({ width: 1440, height: 900 });
  await press(first.getByRole('button', { name: 'Approve and remember this' }));
  await expect(decision(page).first()).toContainText('Approved by owner in every session');
  await expect(card(page)).toHaveCount(2);

  await begin(page, 'guide', 'ordered');
  await expect(card(page)).toHaveCount(2); // the first call is not asked about
  await expect(decision(page).first()).toContainText('Allowed by owner’s standing approval');

  await show(page, 'rules');
  const grant = page.getByTestId('grant');
  await expect(grant).toContainText(`guide may use shell to run exactly`);
  await expect(grant).toContainText(`in every session in ${gateway.folder} until`);
  await shots(page, 'standing-remembered');
  await grant.getByRole('button', { name: /^Revoke/ }).click();
  await expect(page.getByTestId('revoked')).toContainText('a person is asked again');
});
