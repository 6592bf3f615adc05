// Starts the interactive documentation. It stands in a file of its own, because the
// page's policy allows no inline script.

// Calls made from the page carry the browser's session; those that change something
// need the CSRF token too, which GET /api/me returns.
async function addToken(request) {
  if (!request.loadSpec && request.method !== 'GET') {
    const me = await fetch('/api/me');
    if (me.ok) {
      request.headers['X-CSRF-Token'] = (await me.json()).csrf_token;
    }
  }
  return request;
}

SwaggerUIBundle({
  url: '/api/openapi.json',
  dom_id: '#swagger-ui',
  deepLinking: true,
  validatorUrl: null, // it would send the document to another site
  requestInterceptor: addToken,
});
