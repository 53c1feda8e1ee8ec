"""What uwsgi runs: Horizon, with the settings that DJANGO_SETTINGS_MODULE names."""
from django.core import wsgi

application = wsgi.get_wsgi_application()
