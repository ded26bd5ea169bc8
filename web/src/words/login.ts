const another = 'Ask whoever sent it for another one.';

/** Why an opened login link doesn't work. */
export const notByLink = {
  unknown:
    'That login link has been used or has expired. Each link works once. After each use, the gateway prints a new one in its terminal.',
  used: `That login link has been used. Each link works once. ${another}`,
  withdrawn: `That login link was withdrawn or replaced by a newer one. ${another}`,
  expired: `That login link has expired. ${another}`,
  token:
    'A token in the address is not used, because addresses end up in histories and logs. If you want to log in with it, enter it below.',
};
