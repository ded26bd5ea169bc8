/** What stands for a secret that is not shown. */
export const secretMark = '⟦masked⟧';
