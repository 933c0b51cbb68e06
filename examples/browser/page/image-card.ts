import type { RelayClient } from '@openchambery/client';
import { element, summarise } from './element.ts';
import { wordsOf, wordsOfAnswer } from './words.ts';

/** A picture that comes through the tunnel: fetched, and shown from memory. */
export function setUpImageCard(client: () => RelayClient): void {
  const image = element('image', HTMLImageElement);
  element('image-load', HTMLButtonElement).addEventListener('click', async () => {
    summarise('image-status', 'loading …');
    try {
      const response = await client().fetch('/api/image');
      if (!response.ok) throw new Error(await wordsOfAnswer(response));
      const blob = await response.blob();
      URL.revokeObjectURL(image.src);
      image.src = URL.createObjectURL(blob);
      await image.decode();
      image.hidden = false;
      summarise('image-status', `${blob.type}, ${blob.size} bytes`);
    } catch (error) {
      summarise('image-status', wordsOf(error), 'bad');
    }
  });
}
